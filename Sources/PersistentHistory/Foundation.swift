// Date, Data and UUID are the only types of Foundation that the nouns need; the essentials hold
// them and load three times faster in a child process.
#if canImport(FoundationEssentials)
@_exported public import struct FoundationEssentials.Data
@_exported public import struct FoundationEssentials.Date
@_exported public import struct FoundationEssentials.UUID
#else
@_exported public import struct Foundation.Data
@_exported public import struct Foundation.Date
@_exported public import struct Foundation.UUID
#endif
