// This module uses only Date, Data and UUID from Foundation. FoundationEssentials contains them and
// loads three times faster in a child process.
#if canImport(FoundationEssentials)
@_exported public import struct FoundationEssentials.Data
@_exported public import struct FoundationEssentials.Date
@_exported public import struct FoundationEssentials.UUID
#else
@_exported public import struct Foundation.Data
@_exported public import struct Foundation.Date
@_exported public import struct Foundation.UUID
#endif
