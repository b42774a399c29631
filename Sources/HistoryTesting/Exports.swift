// `HistorySystems` is exported so that a test needs only one import.
@_exported public import HistorySystems
