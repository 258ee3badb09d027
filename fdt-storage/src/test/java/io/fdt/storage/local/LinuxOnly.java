package io.fdt.storage.local;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** A test of what java.nio.file alone does not do: docs/PLATFORMS.md. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@DisabledIfSystemProperty(
    named = "fdt.storage",
    matches = "portable",
    disabledReason = "an exception in docs/PLATFORMS.md")
public @interface LinuxOnly {
  /** The reason. */
  String value();
}
