package io.fdt.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.core.model.FileName;
import io.fdt.core.model.FileStamp;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import io.fdt.core.model.Timestamp;
import io.fdt.core.spec.TransferOption;
import io.fdt.core.spec.TransferSpec;
import io.fdt.core.spec.TransferSpecBuilder;
import io.fdt.core.storage.DiskId;
import io.fdt.core.wire.SessionId;
import io.fdt.server.session.SessionLedger;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Records that say themselves when they are equal have to look at all that they hold. */
class WrittenOutEqualityTest {
  private static final BiFunction<String, Instant, Object> PARSER = (text, now) -> text;
  private static final BiConsumer<TransferSpecBuilder<?>, Object> SETTER = (spec, value) -> {};
  private static final Function<TransferSpec, Object> GETTER = spec -> spec;

  /** A record's type, and two different values for each component; made anew for each record. */
  record Example(Class<? extends Record> type, Supplier<List<?>> values, List<?> others) {
    @Override
    public String toString() {
      return type.getSimpleName();
    }
  }

  static Stream<Example> examples() throws Exception {
    return Stream.of(
        new Example(DiskId.class, () -> List.of("259:0"), List.of("259:1")),
        new Example(
            FileStamp.class,
            () -> List.of(7L, new Timestamp(1, 2), true),
            List.of(8L, new Timestamp(1, 3), false)),
        new Example(
            TransferOption.class,
            () ->
                List.of(
                    "sync",
                    TransferOption.Kind.TEXT,
                    "LEVEL",
                    List.of("size"),
                    PARSER,
                    SETTER,
                    GETTER,
                    List.of("--sync"),
                    "Compares."),
            List.of(
                "links",
                TransferOption.Kind.LIST,
                "HOW",
                List.of("skip"),
                (BiFunction<String, Instant, Object>) (text, now) -> now,
                (BiConsumer<TransferSpecBuilder<?>, Object>) (spec, value) -> {},
                Function.identity(),
                List.of("--links"),
                "Follows.")),
        new Example(Timestamp.class, () -> List.of(7L, 1), List.of(8L, 2)),
        new Example(SessionId.class, () -> List.of(1L, 2L), List.of(3L, 4L)),
        new Example(
            SessionLedger.Account.class,
            () -> List.of(true, "data", "a"),
            List.of(false, "in", "b")),
        new Example(
            Grant.class,
            () ->
                List.of(
                    "alice",
                    Instant.EPOCH,
                    Optional.empty(),
                    false,
                    Set.of(),
                    List.of("10.0.0.0/8"),
                    true,
                    false,
                    RelayGrant.UNLIMITED),
            List.of(
                "bob",
                Instant.MAX,
                Optional.of(Instant.MAX),
                true,
                Set.of(FileName.of("data")),
                List.of(),
                false,
                true,
                RelayGrant.NONE)),
        new Example(
            RelayGrant.class,
            () -> List.of(true, List.of("10.0.0.0/8"), 1L, 2L),
            List.of(false, List.of(), 3L, 4L)));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void equalWithTheSameAndDifferentWithAnyOther(Example example) throws Exception {
    Record one = make(example.type(), example.values().get());
    Record same = make(example.type(), example.values().get());
    assertThat(same).isEqualTo(one).hasSameHashCodeAs(one).isNotSameAs(one);
    assertThat(one).isNotEqualTo("something else");
    for (int i = 0; i < example.others().size(); i++) {
      Object[] values = example.values().get().toArray();
      values[i] = example.others().get(i);
      assertThat(make(example.type(), Arrays.asList(values)))
          .as("%s", example.type().getRecordComponents()[i].getName())
          .isNotEqualTo(one);
    }
  }

  private static Record make(Class<? extends Record> type, List<?> values) throws Exception {
    Class<?>[] types =
        Arrays.stream(type.getRecordComponents())
            .map(RecordComponent::getType)
            .toArray(Class<?>[]::new);
    Constructor<? extends Record> constructor = type.getDeclaredConstructor(types);
    return constructor.newInstance(values.toArray());
  }
}
