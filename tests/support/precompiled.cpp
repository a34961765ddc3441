// Its target keeps the precompiled headers of tests.
