package io.fdt.layering;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What programs can reach from the documented packages without an import of another one: no type
 * that may change in any version. The modules export these packages, and no others, to everybody.
 */
class PublicApiTest {
  /** As docs/RELEASING.md says, without the leading "io.fdt.". */
  private static final List<String> DOCUMENTED =
      List.of(
          "client",
          "server",
          "nio",
          "core.model",
          "core.spec",
          "core.unit",
          "core.error",
          "core.filter",
          "core.tuning");

  /**
   * For FDT itself, although other packages of it can reach them only because they are public;
   * their comments say so. The list grows only with a reason.
   */
  private static final Set<String> FOR_FDT_ITSELF =
      Set.of(
          "io.fdt.client.ClientSettings.rule", // the transfer service connects for others
          "io.fdt.client.ClientSettings.transport",
          "io.fdt.client.CopyDigests.digests",
          "io.fdt.server.FdtServerBuilder.transport",
          "io.fdt.core.spec.TransferSpec.digestMethod",
          "io.fdt.core.spec.TransferSpecCoding.decode",
          "io.fdt.core.spec.TransferSpecCoding.encode");

  private static JavaClasses classes;

  @BeforeAll
  static void readBytecode() {
    classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .withImportOption(location -> !location.contains("-tests.jar"))
            .importPackages("io.fdt");
  }

  @Test
  void documentedTypesNameNoOthers() {
    Set<String> leaks = new TreeSet<>();
    Set<String> known = new TreeSet<>();
    classes.stream()
        .filter(PublicApiTest::isReachable)
        .forEach(
            type -> {
              supertypes(type)
                  .filter(PublicApiTest::isInternal)
                  .forEach(other -> leaks.add(type.getName() + " is a " + other.getName()));
              type.getAllMembers().stream()
                  .filter(PublicApiTest::isReachable)
                  .forEach(
                      member ->
                          types(member)
                              .filter(PublicApiTest::isInternal)
                              .forEach(
                                  other -> {
                                    String name =
                                        member.getOwner().getName() + "." + member.getName();
                                    if (FOR_FDT_ITSELF.contains(name)) {
                                      known.add(name);
                                    } else {
                                      leaks.add(member.getFullName() + ": " + other.getName());
                                    }
                                  }));
            });
    assertThat(leaks).isEmpty();
    assertThat(known).isEqualTo(FOR_FDT_ITSELF);
  }

  @Test
  void theListIsThatOfTheDocumentation() throws IOException {
    String text =
        Files.readString(Path.of("").toAbsolutePath().getParent().resolve("docs/RELEASING.md"));
    String modules = text.substring(text.indexOf("## Modules"));
    for (String name : DOCUMENTED) {
      String shown = name.startsWith("core.") ? "`" + name + "`" : "`io.fdt." + name + "`";
      assertThat(modules).contains(shown);
      assertThat(classes.stream().anyMatch(type -> isReachable(type) && isIn(name, type)))
          .as(name)
          .isTrue();
    }
  }

  private static boolean isIn(String name, JavaClass type) {
    return type.getPackageName().equals("io.fdt." + name);
  }

  private static boolean isDocumented(JavaClass type) {
    return DOCUMENTED.stream().anyMatch(name -> isIn(name, type));
  }

  /** Whether a program can name it: it and all around it are public or protected. */
  private static boolean isReachable(JavaClass type) {
    return isDocumented(type)
        && isOpen(type.getModifiers())
        && type.getEnclosingClass().map(PublicApiTest::isReachable).orElse(true);
  }

  private static boolean isReachable(JavaMember member) {
    return isDocumented(member.getOwner())
        && isOpen(member.getModifiers())
        && !member.getModifiers().contains(JavaModifier.SYNTHETIC)
        && !member.getModifiers().contains(JavaModifier.BRIDGE);
  }

  private static boolean isOpen(Set<JavaModifier> modifiers) {
    return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
  }

  /** Neither of the JDK nor documented. */
  private static boolean isInternal(JavaClass type) {
    JavaClass base = type.getBaseComponentType();
    return !base.isPrimitive()
        && !base.getPackageName().startsWith("java.")
        && !isReachable(base)
        && !handsDown(base);
  }

  /** A type without a name for programs whose members they reach through a type below it. */
  private static boolean handsDown(JavaClass type) {
    return isDocumented(type)
        && type.getAllSubclasses().stream().anyMatch(PublicApiTest::isReachable);
  }

  private static Stream<JavaClass> supertypes(JavaClass type) {
    return Stream.concat(
        Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream())
            .flatMap(one -> one.getAllInvolvedRawTypes().stream()),
        type.getTypeParameters().stream().flatMap(one -> one.getAllInvolvedRawTypes().stream()));
  }

  private static Stream<JavaClass> types(JavaMember member) {
    List<JavaType> types =
        member instanceof JavaField field
            ? List.of(field.getType())
            : Stream.of(
                    List.of(((JavaCodeUnit) member).getReturnType()),
                    ((JavaCodeUnit) member).getParameterTypes(),
                    ((JavaCodeUnit) member).getTypeParameters(),
                    ((JavaCodeUnit) member)
                        .getThrowsClause().getTypes().stream()
                            .map(thrown -> (JavaType) thrown)
                            .toList())
                .flatMap(List::stream)
                .map(one -> (JavaType) one)
                .collect(Collectors.toList());
    return types.stream().flatMap(one -> one.getAllInvolvedRawTypes().stream());
  }
}
