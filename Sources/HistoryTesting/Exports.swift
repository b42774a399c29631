// A test needs one import.
@_exported public import HistorySystems
