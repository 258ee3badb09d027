package io.fdt.core.wire;

import com.google.protobuf.ByteString;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.NamePattern;
import io.fdt.core.model.Selection;
import io.fdt.core.model.Timestamp;
import io.fdt.core.wire.control.SelectionRule;
import java.util.ArrayList;
import java.util.List;

/** Encodes a {@link Selection} in OpenSession. Pure. */
public final class SelectionCoding {
  private SelectionCoding() {}

  public static io.fdt.core.wire.control.Selection encode(Selection selection) {
    var message =
        io.fdt.core.wire.control.Selection.newBuilder()
            .setLeastBytes(selection.leastBytes())
            // Long.MAX_VALUE (no limit) is encoded as 0.
            .setMostBytesPlusOne(
                selection.mostBytes() == Long.MAX_VALUE ? 0 : selection.mostBytes() + 1)
            .setMaxDepth(selection.maxDepth() == Integer.MAX_VALUE ? 0 : selection.maxDepth())
            .setOneFileSystem(selection.oneFileSystem())
            .setOfEncodedNames(selection.ofEncodedNames());
    if (selection.notBefore() != null) {
      message.setNotBefore(encode(selection.notBefore()));
    }
    if (selection.notAfter() != null) {
      message.setNotAfter(encode(selection.notAfter()));
    }
    return message.addAllRules(encode(selection.rules())).build();
  }

  public static List<SelectionRule> encode(List<Selection.Rule> rules) {
    return rules.stream()
        .map(
            rule ->
                SelectionRule.newBuilder()
                    .setPattern(ByteString.copyFrom(rule.pattern().text().bytes()))
                    .setTake(rule.take())
                    .build())
        .toList();
  }

  /**
   * An empty message selects everything.
   *
   * @throws IllegalArgumentException for invalid values
   */
  public static Selection decode(io.fdt.core.wire.control.Selection message) {
    if (message.getRulesCount() > Selection.MAX_RULES) {
      throw new IllegalArgumentException(message.getRulesCount() + " patterns");
    }
    List<Selection.Rule> rules = new ArrayList<>();
    for (SelectionRule rule : message.getRulesList()) {
      BytePath text = BytePath.of(rule.getPattern().toByteArray());
      rules.add(new Selection.Rule(new NamePattern(text), rule.getTake()));
    }
    long most = message.getMostBytesPlusOne();
    int depth = message.getMaxDepth();
    return new Selection(
        rules,
        message.getLeastBytes(),
        most == 0 ? Long.MAX_VALUE : most - 1,
        message.hasNotBefore() ? decode(message.getNotBefore()) : null,
        message.hasNotAfter() ? decode(message.getNotAfter()) : null,
        depth == 0 ? Integer.MAX_VALUE : depth,
        message.getOneFileSystem(),
        message.getOfEncodedNames());
  }

  public static io.fdt.core.wire.control.Timestamp encode(Timestamp time) {
    return io.fdt.core.wire.control.Timestamp.newBuilder()
        .setSeconds(time.seconds())
        .setNanos(time.nanos())
        .build();
  }

  private static Timestamp decode(io.fdt.core.wire.control.Timestamp time) {
    return new Timestamp(time.getSeconds(), time.getNanos());
  }
}
