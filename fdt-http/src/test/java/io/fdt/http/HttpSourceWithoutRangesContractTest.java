package io.fdt.http;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;

class HttpSourceWithoutRangesContractTest extends HttpSourceContractTest {
  @Override
  @BeforeEach
  void serve() throws IOException {
    super.serve();
    server().withoutRanges();
  }
}
