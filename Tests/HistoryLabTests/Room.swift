// The room's first test is on its way.
