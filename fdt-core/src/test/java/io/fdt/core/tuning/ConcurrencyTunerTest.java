package io.fdt.core.tuning;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The search for the number of streams, over simulated paths in virtual time. */
class ConcurrencyTunerTest {
  private static final int MOST = 32;

  private SimulatedPath path = new SimulatedPath();
  private ConcurrencyTuner tuner = newTuner();
  private int highest;
  private Sample last;

  private static ConcurrencyTuner newTuner() {
    return new ConcurrencyTuner(4, MOST, Bottleneck::isNetwork, CpuModel::served);
  }

  /** Lets so many seconds pass; returns the mean rate, bytes per second. */
  private double run(int seconds) {
    double bytes = 0;
    highest = 0;
    for (int i = 0; i < seconds; i++) {
      last = path.second(tuner.count());
      bytes += last.bytes();
      tuner.next(last);
      highest = Math.max(highest, tuner.count());
    }
    return bytes / seconds;
  }

  @Test
  void streamsWithSmallWindowsBecomeAsManyAsFillThePath() {
    run(30);
    assertThat(tuner.count()).isBetween(6, 10);
    assertThat(run(120)).isGreaterThan(0.97 * SimulatedPath.GIGABIT);
    assertThat(highest).isLessThanOrEqualTo(10);
  }

  @Test
  void streamsThatOneWindowWouldDoForBecomeFewer() {
    path.window = 64e6;
    assertThat(run(30)).isGreaterThan(0.95 * SimulatedPath.GIGABIT);
    run(600);
    assertThat(tuner.count()).isLessThan(4);
    assertThat(last.rate()).isGreaterThan(0.97 * SimulatedPath.GIGABIT);
  }

  @Test
  void lossThatLimitsEachStreamIsMadeUpForByMore() {
    path.rateOfOne = 2.5e6; // 20 Mbit/s: CUBIC with 0.01 % at 150 ms
    path.loss = 2e-4;
    run(20);
    assertThat(highest).isEqualTo(MOST);
    assertThat(Bottleneck.of(last)).isEqualTo(Bottleneck.LOSS);
    assertThat(run(200)).isGreaterThan(0.97 * MOST * path.rateOfOne);
  }

  @Test
  void aBusyProcessorIsGivenFewerStreamsAndNeverMore() {
    path.window = 64e6;
    path.cpuOfRate = 1 / 60e6;
    path.cpuOfStream = 0.02;
    run(400);
    assertThat(highest).isEqualTo(4);
    assertThat(Bottleneck.of(last)).isEqualTo(Bottleneck.CPU);
    assertThat(tuner.count()).isEqualTo(1);
  }

  @Test
  void whatMoreMayHelpAgainstIsActedOnWhenTheProcessorIsFreeAgain() {
    path.rateOfOne = 2.5e6;
    path.loss = 2e-4;
    path.cpuOfStream = 0.3;
    run(12);
    assertThat(highest).isEqualTo(4);
    assertThat(Bottleneck.of(last)).isEqualTo(Bottleneck.CPU);
    path.cpuOfStream = 0.01;
    run(30);
    assertThat(highest).isGreaterThanOrEqualTo(16);
  }

  @Test
  void noMoreStreamsAreUsedThanTheProcessorsWouldServe() {
    path.window = 1e6; // each stream carries little, and takes a tenth of the processors
    path.cpuOfStream = 0.1;
    run(300);
    assertThat(highest).isLessThanOrEqualTo(9);
    assertThat(tuner.count()).isBetween(6, 9);
  }

  /** A neighbour's work takes no streams away; its processors are not ours to give. */
  @Test
  void whatOthersDoOnTheProcessorsDoesNotBoundStreams() {
    path.foreignCpu = 0.8;
    path.cpuOfStream = 0.004;
    run(60);
    assertThat(last.cpu()).isGreaterThan(0.8);
    assertThat(run(60)).isGreaterThan(0.97 * SimulatedPath.GIGABIT);
  }

  @Test
  void anOutageIsNoReasonForMoreStreams() {
    run(60);
    int before = tuner.count();
    path.outage = true;
    run(300);
    assertThat(highest).isLessThanOrEqualTo(before + 1); // one step may be under way
    path.outage = false;
    run(60);
    assertThat(highest).isLessThanOrEqualTo(2 * before);
    assertThat(run(60)).isGreaterThan(0.95 * SimulatedPath.GIGABIT);
  }

  @Test
  void anOutageAtTheStartIsNoReasonForMoreStreams() {
    path.outage = true;
    run(300);
    assertThat(highest).isEqualTo(4);
  }

  /** Seconds that differ by chance: a path that is shared with many others. */
  @ParameterizedTest
  @ValueSource(doubles = {0.1, 0.2, 0.3})
  void whatHappensByChanceIsNoChangeOfThePath(double noise) {
    double quiet = meanCount(0, 1);
    double mean = 0;
    int seeds = 6;
    for (int seed = 1; seed <= seeds; seed++) {
      mean += meanCount(noise, seed) / seeds;
    }
    assertThat(mean).isBetween(quiet / 2, 2 * quiet);
  }

  private double meanCount(double noise, long seed) {
    path = new SimulatedPath(seed);
    path.noise = noise;
    tuner = newTuner();
    int seconds = 1800;
    int searches = 0;
    double sum = 0;
    for (int i = 0; i < seconds; i++) {
      String before = tuner.reason();
      run(1);
      sum += tuner.count();
      searches += !tuner.reason().equals(before) && tuner.reason().endsWith("than before") ? 1 : 0;
    }
    assertThat(searches).as("searches anew, noise %s, seed %s", noise, seed).isLessThan(8);
    return sum / seconds;
  }

  @Test
  void noDiskIsHelpedByStreams() {
    path.sourceDisk = 30e6;
    run(200);
    assertThat(highest).isEqualTo(4);
    assertThat(Bottleneck.of(last)).isEqualTo(Bottleneck.SOURCE_DISK);

    tuner = newTuner();
    path.sourceDisk = Double.MAX_VALUE;
    path.destinationDisk = 30e6;
    run(200);
    assertThat(highest).isEqualTo(4);
    assertThat(Bottleneck.of(last)).isEqualTo(Bottleneck.DESTINATION_DISK);
  }

  @Test
  void aLimitThatWasAskedForIsNoReasonForMore() {
    path.rateLimit = 20e6;
    run(200);
    assertThat(highest).isEqualTo(4);
    assertThat(tuner.reason()).contains("rate limit");
  }

  @Test
  void aPathThatChangesIsSearchedAnew() {
    run(60);
    path.capacity = SimulatedPath.GIGABIT / 3;
    run(60);
    assertThat(run(60)).isGreaterThan(0.9 * path.capacity);
    path.capacity = SimulatedPath.GIGABIT;
    run(30);
    assertThat(run(60)).isGreaterThan(0.95 * path.capacity);
  }

  @Test
  void aCompetitorThatComesAndGoesDoesNotMakeItTakeEverything() {
    run(60);
    path.others = 4;
    run(120);
    assertThat(tuner.count()).isLessThan(MOST);
    path.others = 0;
    run(30);
    assertThat(run(60)).isGreaterThan(0.95 * SimulatedPath.GIGABIT);
  }

  @Test
  void whatIsHeldIsTriedLessAndLessOften() {
    run(60);
    int changes = 0;
    for (int i = 0; i < 600; i++) {
      int before = tuner.count();
      run(1);
      changes += tuner.count() == before ? 0 : 1;
    }
    assertThat(changes).isLessThan(24); // two for each trial: 10, 20, 40, 80 and 120 s apart
  }

  @Test
  void theStartFollowsFromThePath() {
    assertThat(ConcurrencyTuner.startStreams(0, 1, 16)).isEqualTo(4);
    assertThat(ConcurrencyTuner.startStreams(1_000, 2_600_000, 16)).isEqualTo(4);
    assertThat(ConcurrencyTuner.startStreams(40_000, 1_000_000, 16)).isEqualTo(5);
    assertThat(ConcurrencyTuner.startStreams(40_000, 1, 16)).isEqualTo(16);
    assertThat(ConcurrencyTuner.startStreams(150_000, 40 << 20, 32)).isEqualTo(16);
    assertThat(ConcurrencyTuner.startStreams(400_000, 2_600_000, 32)).isEqualTo(20);
    assertThatThrownBy(() -> new ConcurrencyTuner(5, 4, Bottleneck::isNetwork, CpuModel::served))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
