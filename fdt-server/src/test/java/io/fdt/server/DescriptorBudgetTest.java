package io.fdt.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.server.limits.DescriptorBudget;
import io.fdt.server.limits.Owner;
import java.net.InetAddress;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** How many descriptors each client of a server may hold. */
class DescriptorBudgetTest {
  private static final Grant ALICE = Grant.unlimited("alice", Instant.EPOCH);
  private static final Grant BOB = Grant.unlimited("bob", Instant.EPOCH);

  private final DescriptorBudget budget = new DescriptorBudget(100);

  @Test
  void oneTokenHasHalfFromWhereverItComes() throws Exception {
    budget.of(ALICE, address(1)).take(30);
    budget.of(ALICE, address(2)).take(20);

    assertThatThrownBy(() -> budget.of(ALICE, address(3)).take(1))
        .hasMessageContaining("'alice'")
        .extracting(e -> ((FdtException) e).code())
        .isEqualTo(ErrorCode.BUSY);
    assertThatThrownBy(() -> budget.of(ALICE, address(3)).take())
        .as("an unfinished file")
        .extracting(e -> ((FdtException) e).code())
        .isEqualTo(ErrorCode.RESOURCES);
    budget.of(BOB, address(1)).take(50);
    assertThat(budget.holders()).contains("alice:50", "bob:50");
    budget.of(ALICE, address(1)).giveBack(2);
    budget.of(ALICE, address(1)).take();
    assertThat(budget.taken()).isEqualTo(100);
  }

  @Test
  void clientsWithoutATokenAreOnesOfTheirAddress() throws Exception {
    Grant anonymous = Owner.anonymous(false);
    budget.of(anonymous, address(1)).take(50);

    assertThatThrownBy(() -> budget.of(anonymous, address(1)).take(1))
        .isInstanceOf(FdtException.class);
    budget.of(anonymous, address(2)).take(50);
  }

  @Test
  void whatIsRefusedIsNotCounted() throws Exception {
    budget.of(ALICE, address(1)).take(49);
    assertThatThrownBy(() -> budget.of(ALICE, address(1)).take(2)).isInstanceOf(FdtException.class);

    assertThat(budget.taken()).isEqualTo(49);
    budget.of(ALICE, address(1)).giveBack(49);
    assertThat(budget.taken()).isZero();
    assertThat(budget.holders()).isEmpty();
  }

  @Test
  void limitsOfAServerFitIntoItsDescriptors() {
    ServerLimits usual = ServerLimits.DEFAULT.within(8192);
    assertThat(usual.strangers()).isEqualTo(ServerLimits.DEFAULT.strangers());
    assertThat(usual.clients()).isEqualTo(ServerLimits.DEFAULT.clients());
    assertThat(usual.streams()).isEqualTo(ServerLimits.DEFAULT.streams());

    ServerLimits few = ServerLimits.DEFAULT.within(1024);
    assertThat(few.strangers() + few.descriptorsOfClients()).isLessThan(1024 - 256);
    assertThat(few.streams() + few.clients()).isLessThan((int) few.descriptorsOfClients());

    assertThat(ServerLimits.DEFAULT.within(0).streams()).isEqualTo(2048);
    assertThat(ServerLimits.DEFAULT.withOpenFiles(1024).within(1 << 20)).isEqualTo(few);
  }

  @Test
  void theSystemSaysHowManyThereAre() {
    assertThat(DescriptorBudget.ofProcess()).isPositive();
  }

  private static InetAddress address(int last) throws Exception {
    return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
  }
}
