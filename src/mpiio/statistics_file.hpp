// RESONIO_STATS=FILE: what each file's calls cost, one JSON line a file, appended at close.
#pragma once

namespace resonio::mpiio {

class File;

/// Collective; does nothing if RESONIO_STATS is not set.
void write_statistics(File& file);

}  // namespace resonio::mpiio
