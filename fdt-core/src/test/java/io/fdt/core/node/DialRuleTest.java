package io.fdt.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.security.AddressRange;
import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** To which addresses a server connects for its clients. */
class DialRuleTest {
  private static void check(DialRule rule, String address) throws Exception {
    rule.check(InetAddress.getByName(address));
  }

  private static void assertForbidden(DialRule rule, String address) {
    assertThatThrownBy(() -> check(rule, address))
        .hasMessageContaining("--dial-to")
        .isInstanceOfSatisfying(
            FdtException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.9.9.9",
        "::1",
        "::ffff:127.0.0.1",
        "0.0.0.0",
        "::",
        "169.254.1.1",
        "fe80::1",
        "224.0.0.1",
        "ff02::1"
      })
  void byDefaultNothingThatMeansTheOwnHostOrTheOwnLink(String address) throws Exception {
    assertForbidden(DialRule.usual(false), address);
    check(DialRule.ANYWHERE, address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.0.2.1", "10.0.0.1", "2001:db8::1"})
  void byDefaultEverythingElse(String address) throws Exception {
    check(DialRule.usual(false), address);
    check(DialRule.usual(true), address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "::1"})
  void aServerOfItsOwnHostConnectsToItsOwnHost(String address) throws Exception {
    check(DialRule.usual(true), address);
    assertForbidden(DialRule.usual(true), "169.254.1.1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.0.2.1", "127.0.0.1"})
  void aListIsAllThereIs(String address) throws Exception {
    DialRule rule = DialRule.only(List.of(AddressRange.parse(address)));
    check(rule, address);
    assertForbidden(rule, "198.51.100.1");
  }
}
