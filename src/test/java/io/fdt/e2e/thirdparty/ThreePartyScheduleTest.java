package io.fdt.e2e.thirdparty;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.fdt.client.TransferReport;
import io.fdt.core.error.FdtException;
import io.fdt.e2e.Hostility;
import io.fdt.e2e.ThreeParties;
import io.fdt.e2e.ThreeParties.Party;
import io.fdt.server.SimulatedServer;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * Hundreds of copies between two servers, directed by a third party, in virtual time: connections
 * break, and each party is stopped, dies with or without a word, at any step, and comes back. What
 * runs is the code of production, from the client's transfer to the pipelines.
 *
 * <p>What is checked: no file ever has its final name with wrong bytes; no range that the journal
 * holds comes again; two sessions never write at once; the client has a clear end in time; the same
 * command completes; once more moves nothing; in the end no party holds anything of any session.
 */
class ThreePartyScheduleTest {
  private static final long FIRST_SEED = Long.getLong("fdt.third.seed", 20261124);
  private static final int SCHEDULES = Integer.getInteger("fdt.third.schedules", 250);

  /** A copy without faults has fewer steps than this. */
  private static final int LATEST_FAULT = 300;

  private static final List<Party> PARTIES = List.of(Party.values());
  private static final List<Hostility> HOSTILITIES = List.of(Hostility.values());
  private static final int MOST_FAULTS = 4;
  private static final int MOST_ATTEMPTS = 12;

  /** What a server logs while its process dies has no meaning. */
  private static final Logger LOG = (Logger) LoggerFactory.getLogger("io.fdt.server");

  private static SimulatedServer.Keys keys;
  private static Level level;

  private long deaths;
  private long inTheMiddle;
  private long bytesKept;
  private long refused;

  @BeforeAll
  static void makeKeys() throws FdtException {
    keys = SimulatedServer.Keys.make();
    level = LOG.getLevel();
    LOG.setLevel(Level.OFF);
  }

  @AfterAll
  static void closeKeys() {
    keys.close();
    LOG.setLevel(level);
  }

  @Test
  @Timeout(7200)
  void everySeedEndsWellWhoeverDiesAndWhenever() {
    runAll("three parties", SCHEDULES, false);
    assertThat(inTheMiddle).as("faults in the middle").isGreaterThan(SCHEDULES);
    assertThat(bytesKept).as("bytes that were kept").isGreaterThan(100L * SCHEDULES);
  }

  /** A relay may do to data what it wants, and dies as others do. */
  @Test
  @Timeout(7200)
  void everySeedEndsWellWithAHostileRelayInTheMiddle() {
    runAll("with a relay", SCHEDULES / 2, true);
    assertThat(inTheMiddle).as("faults in the middle").isGreaterThan(SCHEDULES / 4);
    assertThat(refused).as("files that were not kept").isPositive();
  }

  private void runAll(String what, int schedules, boolean relayed) {
    System.out.printf("%s: %d seeds from %d%n", what, schedules, FIRST_SEED);
    for (long seed = FIRST_SEED; seed < FIRST_SEED + schedules; seed++) {
      try {
        run(seed, relayed);
      } catch (FdtException | AssertionError | RuntimeException e) {
        throw new AssertionError("-Dfdt.third.seed=" + seed + ": " + e.getMessage(), e);
      }
    }
    System.out.printf(
        "%s: %d deaths, %d faults in the middle, %d bytes kept, %d copies with files refused%n",
        what, deaths, inTheMiddle, bytesKept, refused);
  }

  @Test
  void aSeedHappensTheSameWayAgain() throws Exception {
    for (long seed = FIRST_SEED; seed < FIRST_SEED + 3; seed++) {
      assertThat(run(seed, true)).as("steps of seed %d", seed).isEqualTo(run(seed, true));
    }
  }

  /** Returns its steps. */
  private long run(long seed, boolean relayed) throws FdtException {
    Random random = new Random(seed);
    Hostility hostility =
        relayed ? HOSTILITIES.get(random.nextInt(HOSTILITIES.size())) : Hostility.NONE;
    ThreeParties parties = new ThreeParties(random, keys, hostility);
    List<Party> who = relayed ? PARTIES : PARTIES.subList(0, PARTIES.indexOf(Party.RELAY));
    if (relayed) {
      parties.relay();
    }
    for (int faults = random.nextInt(MOST_FAULTS + 1); faults > 0; faults--) {
      parties.run(random.nextInt(LATEST_FAULT));
      if (parties.hasEnded()) {
        break;
      }
      inTheMiddle++;
      fault(parties, who.get(random.nextInt(who.size())), random);
    }
    for (Party party : who) {
      if (!parties.isAlive(party)) {
        parties.comeBack(party);
      } else {
        parties.goOn(party);
      }
    }
    if (relayed) {
      if (random.nextBoolean()) {
        TransferReport attacked = parties.awaitUnderAttack();
        refused += attacked.figures().files().failed() > 0 ? 1 : 0;
        parties.destination.assertNothingWrong();
      }
      parties.relayHonestly();
    }
    TransferReport report = parties.await();
    for (int attempt = 1; report.exitStatus() != 0; attempt++) {
      assertThat(attempt).as("attempts; %s", report.failureMessage()).isLessThan(MOST_ATTEMPTS);
      parties.destination.assertNothingWrong();
      parties.runFor(Duration.ofSeconds(10));
      parties.comeBack(Party.CLIENT);
      report = parties.await();
    }
    bytesKept += report.figures().bytesKept();
    parties.destination.assertEverythingIsThere();
    parties.comeBack(Party.CLIENT);
    TransferReport again = parties.await();
    assertThat(again.failure()).as(again.failureMessage()).isEmpty();
    assertThat(again.figures().bytesDone()).as("bytes of a copy that was complete").isZero();
    assertThat(again.figures().files().done()).as("files of a copy that was complete").isZero();
    parties.assertNothingIsLeft();
    return parties.time.steps();
  }

  private void fault(ThreeParties parties, Party party, Random random) throws FdtException {
    switch (random.nextInt(8)) {
      case 0, 1 -> parties.cutOne();
      case 2 -> parties.cutAll();
      case 3 -> pause(parties, party, random);
      case 4 -> {
        if (parties.isAlive(Party.CLIENT)) {
          parties.cancel();
        }
      }
      default -> {
        if (parties.isAlive(party)) {
          deaths++;
          parties.kill(party, random.nextInt(3) == 0);
          if (random.nextBoolean()) {
            away(parties, random);
            parties.comeBack(party);
          }
        }
      }
    }
  }

  private static void pause(ThreeParties parties, Party party, Random random) {
    if (parties.isAlive(party)) {
      parties.stop(party);
      away(parties, random);
      parties.goOn(party);
    }
  }

  /** From no time at all to longer than anybody waits. */
  private static void away(ThreeParties parties, Random random) {
    parties.runFor(Duration.ofMillis(1L << random.nextInt(17)));
  }
}
