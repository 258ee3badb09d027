package io.fdt.core.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who has to go when there are too many who have proven nothing. */
class PlacesOfStrangersTest {
  private final UnauthenticatedConnections strangers = new UnauthenticatedConnections(16);
  private final List<EmbeddedChannel> all = new ArrayList<>();

  @AfterEach
  void closeAll() {
    all.forEach(EmbeddedChannel::finishAndReleaseAll);
  }

  @Test
  void aControlConnectionOutlivesTheLinesOfItsClient() throws Exception {
    EmbeddedChannel control = add("192.0.2.1");
    strangers.hasSpoken(control);
    List<EmbeddedChannel> lines = add("192.0.2.1", 20);

    assertThat(isOpen(control)).isTrue();
    assertThat(lines.stream().filter(PlacesOfStrangersTest::isOpen)).hasSize(7);
    assertThat(lines.subList(13, 20)).as("the youngest").allMatch(PlacesOfStrangersTest::isOpen);
  }

  @Test
  void thoseWhoSpeakLeaveOthersTheTimeForAWord() throws Exception {
    List<EmbeddedChannel> speakers = add("192.0.2.1", 8);
    speakers.forEach(strangers::hasSpoken);
    List<EmbeddedChannel> newcomers = add("192.0.2.1", 2);

    assertThat(newcomers).allMatch(PlacesOfStrangersTest::isOpen);
    assertThat(speakers.subList(0, 2)).noneMatch(PlacesOfStrangersTest::isOpen);
    assertThat(speakers.subList(2, 8)).allMatch(PlacesOfStrangersTest::isOpen);
  }

  @Test
  void whenAllPlacesAreTakenTheAddressOfTheOldestGivesOne() throws Exception {
    EmbeddedChannel oldest = add("192.0.2.1");
    strangers.hasSpoken(oldest);
    EmbeddedChannel line = add("192.0.2.1");
    List<EmbeddedChannel> others = add("192.0.2.2", 8);
    others.addAll(add("192.0.2.3", 6));

    EmbeddedChannel next = add("192.0.2.4");

    assertThat(isOpen(line)).isFalse();
    assertThat(isOpen(oldest)).isTrue();
    assertThat(others).allMatch(PlacesOfStrangersTest::isOpen);
    add("192.0.2.4");
    assertThat(isOpen(oldest)).isFalse();
    assertThat(isOpen(next)).isTrue();
  }

  @Test
  void whoIsKnownOrGoneHasNoPlace() throws Exception {
    List<EmbeddedChannel> known = add("192.0.2.1", 8);
    known.forEach(strangers::known);
    add("192.0.2.1", 8).forEach(channel -> channel.close().syncUninterruptibly());
    List<EmbeddedChannel> others = add("192.0.2.1", 8);

    assertThat(known).allMatch(PlacesOfStrangersTest::isOpen);
    assertThat(others).allMatch(PlacesOfStrangersTest::isOpen);
  }

  private List<EmbeddedChannel> add(String address, int count) throws Exception {
    List<EmbeddedChannel> added = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      added.add(add(address));
    }
    return added;
  }

  private EmbeddedChannel add(String address) throws Exception {
    EmbeddedChannel channel = new EmbeddedChannel();
    all.add(channel);
    strangers.add(channel, InetAddress.getByName(address));
    return channel;
  }

  private static boolean isOpen(EmbeddedChannel channel) {
    channel.runPendingTasks();
    return channel.isOpen();
  }
}
