package io.fdt.core.spec;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.wire.control.Aspect;
import io.fdt.core.wire.control.Source;
import io.fdt.core.wire.control.TransferSpecOrBuilder;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Encodes a {@link TransferSpec} as the message of the same name in control.proto, which defines
 * each field. Pure. The methods on messages are for FDT itself; programs use those on bytes.
 */
public final class TransferSpecCoding {
  /** Version of the message; a reader refuses any other. */
  static final int VERSION = 1;

  private TransferSpecCoding() {}

  public static byte[] toBytes(TransferSpec spec) {
    return encode(spec).toByteArray();
  }

  /**
   * The inverse of {@link #toBytes}.
   *
   * @throws FdtException PROTOCOL for malformed bytes, an unknown version, or an invalid spec
   */
  public static TransferSpec ofBytes(byte[] bytes) throws FdtException {
    try {
      return decode(io.fdt.core.wire.control.TransferSpec.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw bad("the description of the transfer is malformed", e);
    }
  }

  public static io.fdt.core.wire.control.TransferSpec encode(TransferSpec spec) {
    var message = spec.options().toBuilder();
    for (Operand operand : spec.sources()) {
      message.addSources(
          Source.newBuilder()
              .setPath(bytes(operand.path()))
              .setTarget(bytes(operand.target().orElse(BytePath.EMPTY))));
    }
    return message.build();
  }

  /**
   * Decodes a message.
   *
   * @throws FdtException PROTOCOL for unknown or invalid values
   */
  public static TransferSpec decode(io.fdt.core.wire.control.TransferSpec message)
      throws FdtException {
    if (message.getVersion() != VERSION) {
      throw bad(
          "the description of the transfer has version %d, this release knows version %d"
              .formatted(message.getVersion(), VERSION),
          null);
    }
    try {
      TransferSpec.BLOCK_SIZE.check(message.getBlockSize());
      return new TransferSpec(sources(message), message.toBuilder().clearSources().build());
    } catch (IllegalArgumentException e) {
      throw bad(e.getMessage(), e);
    }
  }

  private static List<Operand> sources(io.fdt.core.wire.control.TransferSpec message) {
    List<Operand> sources = new ArrayList<>();
    for (Source source : message.getSourcesList()) {
      Optional<BytePath> target =
          source.getTarget().isEmpty() ? Optional.empty() : Optional.of(path(source.getTarget()));
      sources.add(new Operand(path(source.getPath()), target));
    }
    return sources;
  }

  static io.fdt.core.wire.control.FilePart encode(FilePart part) {
    var message =
        io.fdt.core.wire.control.FilePart.newBuilder()
            .setOffset(part.offset())
            .setLengthPlusOne(part.length().orElse(-1) + 1);
    part.cut()
        .ifPresent(cut -> message.setFileSize(cut.fileSize()).setRangeBytes(cut.rangeBytes()));
    return message.build();
  }

  static FilePart part(io.fdt.core.wire.control.FilePart message) {
    long length = message.getLengthPlusOne();
    return new FilePart(
        message.getOffset(),
        length == 0 ? OptionalLong.empty() : OptionalLong.of(length - 1),
        message.getRangeBytes() == 0
            ? Optional.empty()
            : Optional.of(new FileCut(message.getFileSize(), message.getRangeBytes())));
  }

  static Preservation preservation(TransferSpecOrBuilder options) {
    Set<Preservation.Aspect> aspects = EnumSet.noneOf(Preservation.Aspect.class);
    for (Aspect aspect : options.getPreserveList()) {
      aspects.add(constant(Preservation.Aspect.class, aspect));
    }
    return new Preservation(aspects, constant(Preservation.Links.class, options.getLinks()));
  }

  static RateSchedule rateLimit(TransferSpecOrBuilder options) {
    String text = options.getRateLimit();
    return text.isEmpty() ? RateSchedule.NONE : RateSchedule.parse(text);
  }

  /**
   * The constant of a value in control.proto, whose name has a prefix, as in SYNC_MTIME.
   *
   * @throws IllegalArgumentException for an unknown name
   */
  static <T extends Enum<T>> T constant(Class<T> type, Enum<?> sent) {
    return Stream.of(type.getEnumConstants())
        .filter(constant -> isSame(sent, constant))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "this version does not know a requested value of "
                        + sent.getDeclaringClass().getSimpleName()));
  }

  /** The inverse of {@link #constant}. */
  static <T extends Enum<T>> T sent(Class<T> type, Enum<?> constant) {
    return Stream.of(type.getEnumConstants())
        .filter(sent -> isSame(sent, constant))
        .findFirst()
        .orElseThrow();
  }

  private static boolean isSame(Enum<?> sent, Enum<?> constant) {
    return sent.name().substring(sent.name().indexOf('_') + 1).equals(constant.name());
  }

  static ByteString bytes(BytePath path) {
    return ByteString.copyFrom(path.bytes());
  }

  static BytePath path(ByteString bytes) {
    return BytePath.of(bytes.toByteArray());
  }

  private static FdtException bad(String flaw, Exception cause) {
    return new FdtException(ErrorCode.PROTOCOL, "bad request: " + flaw, cause);
  }
}
