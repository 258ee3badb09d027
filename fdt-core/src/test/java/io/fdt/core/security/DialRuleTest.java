package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** To which addresses a server, a relay and the service connect for their users. */
class DialRuleTest {
  /** An address of this machine's only interface. */
  private static final String OWN = "203.0.113.9";

  private static DialRule usual(boolean ownHost) {
    return DialRule.usual(ownHost, address -> address.getHostAddress().equals(OWN));
  }

  private static void check(DialRule rule, String address) throws Exception {
    rule.check(InetAddress.getByName(address));
  }

  private static void assertForbidden(DialRule rule, String address) {
    assertThatThrownBy(() -> check(rule, address))
        .hasMessageContaining("FdtServer.dialTo")
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
        "2002:7f00:1::",
        "64:ff9b::127.0.0.1",
        OWN,
        "::ffff:" + OWN,
        "64:ff9b::" + OWN
      })
  void theOwnHostIsEveryAddressOfItsInterfaces(String address) throws Exception {
    assertForbidden(usual(false), address);
    check(usual(true), address);
    check(DialRule.ANYWHERE, address);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0.0.0.0",
        "::",
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "::169.254.169.254",
        "64:ff9b::169.254.169.254",
        "2002:a9fe:a9fe::1",
        "fe80::1",
        "224.0.0.1",
        "ff02::1",
        "fd00:ec2::254",
        "100.100.100.200",
        "192.0.0.192"
      })
  void byDefaultNothingOfTheOwnLinkAndNoSecretsOfClouds(String address) throws Exception {
    assertForbidden(usual(true), address);
    check(DialRule.ANYWHERE, address);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "64:ff9b:1::127.0.0.1",
        "64:ff9b:1:7f00:0:100::",
        "64:ff9b:1:a9fe:a9:fe00::",
        "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
        "2001:0:cb00:7101:8000:63bf:80ff:fffe",
        "2001:0:cb00:7101:8000:63bf:5601:5601"
      })
  void addressesWhoseIpv4AddressOnlyTheGatewayKnowsHaveToBeNamed(String address) throws Exception {
    assertForbidden(usual(true), address);
    assertForbidden(DialRule.only(List.of(AddressRange.parse("127.0.0.1"))), address);
    check(DialRule.only(List.of(AddressRange.parse(address))), address);
    check(DialRule.ANYWHERE, address);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "192.0.2.1",
        "10.0.0.1",
        "2001:db8::1",
        "2001:1::1",
        "64:ff9b::a01:203",
        "64:ff9b:2::1",
        "fd00::1"
      })
  void byDefaultEverythingElse(String address) throws Exception {
    check(usual(false), address);
    check(usual(true), address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"192.0.2.1", "127.0.0.1", OWN})
  void aListIsAllThereIs(String address) throws Exception {
    DialRule rule = DialRule.only(List.of(AddressRange.parse(address)));
    check(rule, address);
    check(rule, "64:ff9b::" + address);
    assertForbidden(rule, "198.51.100.1");
  }

  @Test
  void eachInterfaceOfThisMachineIsItsOwnHost() throws Exception {
    for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
      for (InetAddress address : each.inetAddresses().toList()) {
        assertThat(DialRule.usual(false).allows(address)).as(address.toString()).isFalse();
      }
    }
    assertThatThrownBy(() -> DialRule.usual(false).resolve("localhost"))
        .hasMessageContaining("its own machine");
  }
}
