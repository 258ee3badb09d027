package io.fdt.service.web.routes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.client.RemoteFile;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ListingsTest {
  private static final long MINUTE = 60_000_000_000L;

  private final Listings listings = new Listings();
  private final List<RemoteFile> directory = new ArrayList<>();
  private int asked;

  private static RemoteFile file(String name, long size, long seconds) {
    return new RemoteFile(
        BytePath.of(name),
        Optional.of(EntryKind.FILE),
        size,
        0644,
        new Timestamp(seconds, 0),
        BytePath.EMPTY,
        0,
        Optional.empty());
  }

  private static Listings.Key key(String owner, String order, String match) {
    return new Listings.Key(owner, "e", "/d", order, match, true);
  }

  private Listings.Listing get(String id, Listings.Key key, long nanos) throws Exception {
    return listings.get(
        id,
        key,
        nanos,
        () -> {
          asked++;
          return List.copyOf(directory);
        });
  }

  private static List<String> names(Listings.Listing listing) {
    return listing.files().stream().map(file -> file.name().toString()).toList();
  }

  @Test
  void pagesOfOneListingFitTogetherWhileTheDirectoryChanges() throws Exception {
    directory.add(file("b", 1, 1));
    Listings.Listing first = get("", key("u", "name", ""), 0);
    directory.add(file("a", 1, 1));

    assertThat(get(first.id(), key("u", "name", ""), MINUTE)).isSameAs(first);
    assertThat(asked).isEqualTo(1);
    assertThat(names(get("", key("u", "name", ""), MINUTE))).containsExactly("a", "b");
    assertThat(names(get(first.id(), key("u", "name", ""), 6 * MINUTE))).containsExactly("a", "b");
  }

  @Test
  void nobodySeesTheListingOfAnotherUserByItsId() throws Exception {
    directory.add(file("secret", 1, 1));
    Listings.Listing first = get("", key("u", "name", ""), 0);
    directory.clear();

    assertThat(names(get(first.id(), key("other", "name", ""), 0))).isEmpty();
    assertThat(names(get(first.id(), key("u", "size", ""), 0))).isEmpty();
  }

  @Test
  void theOrderIsThatOfNamesSizesOrTimesUpOrDownAndNamesSettleTies() throws Exception {
    directory.add(file("c", 1, 9));
    directory.add(file("B", 3, 5));
    directory.add(file("a", 1, 7));

    assertThat(names(get("", key("u", "name", ""), 0))).containsExactly("B", "a", "c");
    assertThat(names(get("", key("u", "-size", ""), 0))).containsExactly("B", "c", "a");
    assertThat(names(get("", key("u", "modified", ""), 0))).containsExactly("B", "a", "c");
    assertThat(names(get("", key("u", "name", "b"), 0))).containsExactly("B");
  }

  @Test
  void whatIsTooLargeIsNotKept() throws Exception {
    for (int i = 0; i < 200_000; i++) {
      directory.add(file("f", 1, 1));
    }
    Listings.Listing first = get("", key("u", "size", ""), 0);
    Listings.Listing second = get("", key("u", "size", ""), 0);

    assertThat(get(first.id(), key("u", "size", ""), 0)).isNotSameAs(first);
    assertThat(get(second.id(), key("u", "size", ""), 0)).isNotSameAs(first);
    assertThat(asked).isGreaterThan(2);
  }
}
