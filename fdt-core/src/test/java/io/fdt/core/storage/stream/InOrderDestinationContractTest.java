package io.fdt.core.storage.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Root;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.DestinationTreeContract;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.synthetic.SyntheticContent;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A stream has one place and no names, and what has gone out has gone out: what the contract says
 * of directories, of two files of one name and of files that are given up does not apply, and is
 * said here as far as it can be.
 */
class InOrderDestinationContractTest extends DestinationTreeContract {
  private static final FileName NAME = FileName.of("data");
  private static final int WINDOW = 8 << 20;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Override
  public DestinationTree openTree() {
    return new InOrderDestination(out, WINDOW);
  }

  @Override
  public List<Root> roots() {
    return List.of(new Root(NAME, EntryKind.FILE, 0644, MODIFIED));
  }

  @Override
  public DestinationDirectory inner(DestinationDirectory base, String name) {
    return base;
  }

  @Override
  public void assertPublished(String path, FileName name, long size) {
    byte[] content = contentOf(path);
    assertThat(content).hasSize(Math.toIntExact(size));
    assertThat(SyntheticContent.of(name).firstDifference(Unpooled.wrappedBuffer(content), 0))
        .isEqualTo(-1);
  }

  /** What has come since it was last asked. */
  @Override
  public byte[] contentOf(String path) {
    byte[] content = out.toByteArray();
    out.reset();
    return content;
  }

  @Override
  public void assertNothingThere() {
    throw new AssertionError("what has gone out has gone out");
  }

  @Test
  @Override
  public void fileThatIsClosedWithoutPublishingLeavesNothing() throws Exception {
    DestinationDirectory.PendingFile file;
    try (DestinationTree tree = openTree()) {
      file = open(tree).create(NAME, FileShape.of(1000));
      writeContent(file, NAME, 0, 500);
      file.close();
      file.close();
      assertPublished("-", NAME, 500);
    }
    assertFails(() -> writeContent(file, NAME, 500, 500), ErrorCode.CANCELLED);
    assertThat(out.size()).isZero();
  }

  @Test
  @Override
  public void fileThatIsDiscardedLeavesNothing() throws Exception {
    try (DestinationTree tree = openTree()) {
      DestinationDirectory.PendingFile file = open(tree).create(NAME, FileShape.of(1000));
      writeContent(file, NAME, 500, 500);
      file.discard();
      file.discard();
    }
    assertThat(out.size()).as("what was held").isZero();
  }

  @Test
  @Override
  public void oneFileHasOneWriterAtATime() throws Exception {
    try (DestinationTree tree = openTree()) {
      assertFails(() -> tree.open(List.of(roots().get(0), roots().get(0))), ErrorCode.WRONG_KIND);
      assertFails(() -> open(tree).makeDirectory(NAME), ErrorCode.WRONG_KIND);
      assertFails(() -> open(tree).replaceByDirectory(NAME), ErrorCode.WRONG_KIND);
    }
  }

  private DestinationDirectory open(DestinationTree tree) throws Exception {
    return tree.open(roots()).directory();
  }
}
