package io.fdt.core.error;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ErrorCodeTest {
  @ParameterizedTest
  @EnumSource
  void everyWireCodeLeadsBackToItsRow(ErrorCode code) {
    assertThat(ErrorCode.ofWireCode(code.wireCode())).isSameAs(code);
  }

  @Test
  void wireCodesAreUniqueAndNeverZeroBecauseZeroMeansNoError() {
    assertThat(Arrays.stream(ErrorCode.values()).map(ErrorCode::wireCode))
        .doesNotHaveDuplicates()
        .allMatch(wireCode -> wireCode > 0);
  }

  /** A code that was once released must never change: this table is what other versions know. */
  @Test
  void wireCodesStayWhatTheyAre() {
    String table =
        Arrays.stream(ErrorCode.values())
            .map(code -> code.wireCode() + " " + code)
            .collect(Collectors.joining(", "));
    assertThat(table)
        .isEqualTo(
            "1 INTERNAL, 2 USAGE, 3 UNREACHABLE, 4 NOT_FDT, 5 VERSION, 6 PROTOCOL, 7 TIMEOUT, 8"
                + " SHUTTING_DOWN, 9 BUSY, 10 UNAUTHENTICATED, 11 FORBIDDEN, 12 UNTRUSTED, 20"
                + " NOT_FOUND, 21 PERMISSION, 22 WRONG_KIND, 23 SOURCE_CHANGED, 24 IO, 25 BAD_NAME,"
                + " 26 IN_USE, 27 STORAGE_FULL, 28 READ_ONLY, 29 RESOURCES, 30 VERIFICATION, 35"
                + " TOO_MANY, 37 SOURCE_EMPTY, 36 FILTER, 40 CANCELLED");
  }

  /** Scripts decide by them; the README has the table. */
  @Test
  void exitStatusesStayWhatTheyAre() {
    String table =
        Arrays.stream(ErrorCode.values())
            .collect(
                Collectors.groupingBy(ErrorCode::exitStatus, TreeMap::new, Collectors.toList()))
            .toString();
    assertThat(table)
        .isEqualTo(
            "{1=[INTERNAL, NOT_FOUND, PERMISSION, WRONG_KIND, SOURCE_CHANGED, IO, BAD_NAME, IN_USE,"
                + " READ_ONLY, RESOURCES, TOO_MANY, SOURCE_EMPTY, FILTER], 2=[USAGE],"
                + " 3=[UNREACHABLE, NOT_FDT, VERSION, PROTOCOL, TIMEOUT, SHUTTING_DOWN, BUSY],"
                + " 4=[UNAUTHENTICATED, FORBIDDEN, UNTRUSTED], 5=[VERIFICATION], 6=[STORAGE_FULL],"
                + " 130=[CANCELLED]}");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, -1, 13, 41, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void unknownWireCodesAreReadAsInternal(int wireCode) {
    assertThat(ErrorCode.ofWireCode(wireCode)).isSameAs(ErrorCode.INTERNAL);
  }

  @ParameterizedTest
  @EnumSource
  void everyRowEndsTheCommandWithADocumentedStatusThatIsNotSuccess(ErrorCode code) {
    assertThat(code.exitStatus()).isIn(1, 2, 3, 4, 5, 6, 130);
    assertThat(code.retry()).isNotNull();
  }

  @Test
  void exceptionsKeepTheirRowMessageAndCause() {
    Exception cause = new IllegalStateException("deep");
    FdtException e = new FdtException(ErrorCode.BUSY, "clients=8 limit=8", cause);
    assertThat(e.code()).isEqualTo(ErrorCode.BUSY);
    assertThat(e).hasMessage("clients=8 limit=8").hasCause(cause);
    assertThat(new FdtException(ErrorCode.IO, "x")).hasNoCause();
  }
}
