// The room's first inhabitant is on its way.
