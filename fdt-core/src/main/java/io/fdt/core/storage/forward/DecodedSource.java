package io.fdt.core.storage.forward;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EncodedName;
import io.fdt.core.model.Entry;
import io.fdt.core.model.FileName;
import io.fdt.core.model.NameRule;
import io.fdt.core.model.Root;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.SourceTree;
import java.util.BitSet;
import java.util.List;

/**
 * A source whose names are encoded, see {@link EncodedName}: the transfer sees the decoded ones.
 * Paths of files in messages are those of the source.
 */
public final class DecodedSource extends ForwardingSource {
  private DecodedSource(SourceTree source) {
    super(source);
  }

  /** The source, wrapped if the transfer decodes names. */
  public static SourceTree of(SourceTree source, TransferSpec spec) {
    return spec.names() == NameRule.DECODE ? new DecodedSource(source) : source;
  }

  /** A path with decoded names. */
  public static BytePath decode(BytePath path) {
    BytePath decoded = BytePath.EMPTY;
    for (FileName name : EncodedName.decode(path.names())) {
      decoded = decoded.resolve(BytePath.of(name.bytes()));
    }
    return decoded;
  }

  private static FileName decode(FileName name) {
    return EncodedName.decode(name).orElse(name);
  }

  @Override
  public List<Root> roots() {
    return super.roots().stream()
        .map(root -> root.name() == null ? root : root.withName(decode(root.name())))
        .toList();
  }

  @Override
  public List<BytePath> arrivals() {
    return super.arrivals().stream().map(DecodedSource::decode).toList();
  }

  @Override
  public List<BytePath> emptyArrivals() {
    return super.emptyArrivals().stream().map(DecodedSource::decode).toList();
  }

  @Override
  public BitSet lacking(List<List<FileName>> paths) {
    return super.lacking(paths.stream().map(EncodedName::encode).toList());
  }

  @Override
  public void walk(Visitor visitor) throws InterruptedException {
    super.walk(
        new Visitor() {
          @Override
          public void entry(Entry entry, SourceFile file) throws InterruptedException {
            visitor.entry(entry.withName(decode(entry.name())), file);
          }

          @Override
          public void directoryEnd(long id) throws InterruptedException {
            visitor.directoryEnd(id);
          }

          @Override
          public void skipped(String path, String reason) {
            visitor.skipped(path, reason);
          }

          @Override
          public void failed(String path, FdtException reason) {
            visitor.failed(path, reason);
          }
        });
  }
}
