package io.fdt.core.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Entry;
import io.fdt.core.model.EntryKind;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Everything that a walk said, by arrival path; it checks the promises of {@link
 * SourceTree.Visitor} while it listens.
 */
public final class RecordedWalk implements SourceTree.Visitor {
  public final Map<String, Entry> entries = new LinkedHashMap<>();
  public final Map<String, SourceTree.SourceFile> files = new LinkedHashMap<>();
  public final Map<String, String> skipped = new LinkedHashMap<>();
  public final Map<String, FdtException> failed = new LinkedHashMap<>();

  private final Map<Long, BytePath> directories = new HashMap<>();
  private final Set<Long> open = new HashSet<>();
  private long lastId;

  private RecordedWalk() {
    directories.put(Entry.ROOT, BytePath.EMPTY);
    open.add(Entry.ROOT);
  }

  public static RecordedWalk of(SourceTree tree) throws InterruptedException {
    RecordedWalk walk = new RecordedWalk();
    tree.walk(walk);
    assertThat(walk.open).as("directories without an end").containsExactly(Entry.ROOT);
    return walk;
  }

  public Set<String> paths() {
    return entries.keySet();
  }

  @Override
  public void entry(Entry entry, SourceTree.SourceFile file) {
    assertThat(entry.id()).isEqualTo(++lastId);
    assertThat(open).as("open parents of %s", entry).contains(entry.parentId());
    assertThat(file == null).isEqualTo(entry.kind() != EntryKind.FILE);
    BytePath path = directories.get(entry.parentId()).resolve(BytePath.of(entry.name().bytes()));
    String text = path.toString();
    if (entry.kind() == EntryKind.DIRECTORY) {
      directories.put(entry.id(), path);
      open.add(entry.id());
    }
    entries.put(text, entry);
    if (file != null) {
      files.put(text, file);
    }
  }

  @Override
  public void directoryEnd(long id) {
    assertThat(id).isNotEqualTo(Entry.ROOT);
    assertThat(open.remove(id)).as("end of %s", id).isTrue();
    for (Entry entry : entries.values()) {
      boolean openChild = entry.parentId() == id && open.contains(entry.id());
      assertThat(openChild).as("a child of %s is open: %s", id, entry).isFalse();
    }
  }

  @Override
  public void skipped(String path, String reason) {
    skipped.put(path, reason);
  }

  @Override
  public void failed(String path, FdtException reason) {
    failed.put(path, reason);
  }
}
