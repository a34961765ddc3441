#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <systemc>

int sc_main(int count, char** arguments) {
  return Catch::Session().run(count, arguments);
}
