package io.fdt.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PortableExceptionsTest {
  static Stream<String> exceptions() {
    return PortableExceptions.reasons().keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("exceptions")
  void eachIsATestThatThereIs(String exception) throws Exception {
    String[] parts = exception.split("#");
    Class<?> test = Class.forName(parts[0]);
    if (parts.length > 1) {
      assertThat(test.getDeclaredMethods()).extracting(Method::getName).contains(parts[1]);
    }
  }
}
