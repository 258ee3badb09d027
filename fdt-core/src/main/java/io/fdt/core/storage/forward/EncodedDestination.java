package io.fdt.core.storage.forward;

import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.EncodedName;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.NameRule;
import io.fdt.core.model.Owner;
import io.fdt.core.model.Root;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.Capabilities;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DestinationTree;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.netty.buffer.ByteBuf;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * A destination that stores encoded names, see {@link EncodedName}: the transfer, its rules of
 * deletion and its paths see the decoded ones. The path of the destination is as the user wrote it.
 */
public final class EncodedDestination implements DestinationTree {
  private final DestinationTree tree;

  private EncodedDestination(DestinationTree tree) {
    this.tree = tree;
  }

  /** The destination, wrapped if the transfer encodes names. */
  public static DestinationTree of(DestinationTree tree, TransferSpec spec) {
    return spec.names() == NameRule.ENCODE ? new EncodedDestination(tree) : tree;
  }

  @Override
  public Base open(List<Root> roots) throws FdtException {
    Base base =
        tree.open(
            roots.stream()
                .map(root -> root.name() == null ? root : root.withName(encode(root.name())))
                .toList());
    Older older = base.older();
    return new Base(
        new Directory(base.directory(), base.directory().path()),
        decode(base.newName()),
        older == null
            ? null
            : new Older(
                new Directory(older.directory(), older.directory().path()), decode(older.name())));
  }

  private static FileName encode(FileName name) {
    return EncodedName.encode(name).orElse(name);
  }

  /** Also of a name that the user chose as it is to be stored; null stays null. */
  private static FileName decode(FileName name) {
    return name == null ? null : EncodedName.decode(name).orElse(name);
  }

  @Override
  public void force() throws FdtException {
    tree.force();
  }

  @Override
  public void delete(List<List<FileName>> roots, boolean pretend, DeletionRules rules)
      throws InterruptedException {
    tree.delete(roots.stream().map(EncodedName::encode).toList(), pretend, new DecodedRules(rules));
  }

  @Override
  public Capabilities capabilities() {
    Capabilities able = tree.capabilities();
    return able.withNames(
        name -> EncodedName.encode(name).filter(able.names()::allows).isPresent());
  }

  @Override
  public void meter(LongConsumer bytes) {
    tree.meter(bytes);
  }

  @Override
  public void close() {
    tree.close();
  }

  /** A directory with its path for messages, beneath the destination of decoded names. */
  private static final class Directory extends ForwardingDirectory {
    private final String path;

    Directory(DestinationDirectory directory, String path) {
      super(directory);
      this.path = path;
    }

    private Directory child(FileName name, DestinationDirectory child) {
      String parent = path.isEmpty() || path.endsWith("/") ? path : path + "/";
      return new Directory(child, parent + name);
    }

    @Override
    public String path() {
      return path;
    }

    @Override
    public Optional<Attributes> find(FileName name) throws FdtException {
      return super.find(encode(name));
    }

    @Override
    public boolean folds(FileName name) throws FdtException {
      return super.folds(encode(name));
    }

    @Override
    public boolean stores(FileName name) {
      return true;
    }

    @Override
    public DestinationDirectory makeDirectory(FileName name) throws FdtException {
      return child(name, super.makeDirectory(encode(name)));
    }

    @Override
    public DestinationDirectory replaceByDirectory(FileName name) throws FdtException {
      return child(name, super.replaceByDirectory(encode(name)));
    }

    @Override
    public boolean mayRemoveDirectory(FileName name, List<FileName> way, DeletionRules rules)
        throws InterruptedException {
      return super.mayRemoveDirectory(
          encode(name), EncodedName.encode(way), new DecodedRules(rules));
    }

    @Override
    public void letReplace(FileName name, List<FileName> way, DeletionRules rules) {
      super.letReplace(encode(name), EncodedName.encode(way), new DecodedRules(rules));
    }

    @Override
    public ExistingFile openExisting(FileName name, Attributes seen) throws FdtException {
      return super.openExisting(encode(name), seen);
    }

    @Override
    public boolean makeLink(
        FileName name,
        BytePath target,
        Timestamp modified,
        Owner owner,
        Consumer<FdtException> warnings)
        throws FdtException {
      return super.makeLink(encode(name), target, modified, owner, warnings);
    }

    @Override
    public boolean makeHardLink(
        FileName name, DestinationDirectory first, FileName firstName, long size)
        throws FdtException {
      return super.makeHardLink(encode(name), first, encode(firstName), size);
    }

    @Override
    public PendingFile create(FileName name, FileShape shape) throws FdtException {
      return super.create(encode(name), shape);
    }

    @Override
    public boolean put(
        FileName name, ByteBuf bytes, int mode, Timestamp modified, FileMetadata metadata)
        throws FdtException {
      return super.put(encode(name), bytes, mode, modified, metadata);
    }

    @Override
    public PartialFile findPartial(FileName name, SourceVersion version) throws FdtException {
      return super.findPartial(encode(name), version);
    }
  }

  /** Rules for decoded names; a name that is not encoded is taken as it is. */
  private record DecodedRules(DeletionRules rules) implements DeletionRules {
    @Override
    public boolean isKnown(List<FileName> way, FileName name) {
      return rules.isKnown(EncodedName.decode(way), decode(name));
    }

    @Override
    public boolean maySpellAKnownName(List<FileName> way, FileName name) {
      return rules.maySpellAKnownName(EncodedName.decode(way), decode(name));
    }

    @Override
    public boolean isLeftOut(List<FileName> way, FileName name, boolean isDirectory) {
      return rules.isLeftOut(EncodedName.decode(way), decode(name), isDirectory);
    }

    @Override
    public int maxDepth() {
      return rules.maxDepth();
    }

    @Override
    public boolean oneFileSystem() {
      return rules.oneFileSystem();
    }

    @Override
    public BitSet lacking(List<List<FileName>> paths) throws InterruptedException {
      return rules.lacking(paths.stream().map(EncodedName::decode).toList());
    }

    @Override
    public void deleted(String path, EntryKind kind) throws InterruptedException {
      rules.deleted(path, kind);
    }

    @Override
    public void failed(String path, FdtException cause) throws InterruptedException {
      rules.failed(path, cause);
    }
  }
}
