package io.fdt.service.deploy;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Helm in a process of its own: its library is written in Go, whose runtime shares no process with
 * the JVM of the tests. CHART DIRECTORY JOB...: job N writes its output to the file N of the
 * directory, or to N.error when Helm refuses. A job is "lint", or "template NAME=VALUE ...".
 */
final class HelmMain {
  private HelmMain() {}

  public static void main(String[] arguments) throws IOException {
    Helm chart = new Helm(Path.of(arguments[0]));
    Path directory = Path.of(arguments[1]);
    for (int i = 2; i < arguments.length; i++) {
      String name = Integer.toString(i - 2);
      try {
        Files.writeString(directory.resolve(name), run(chart, arguments[i].split(" ")));
      } catch (IllegalStateException e) {
        Files.writeString(directory.resolve(name + ".error"), e.getMessage());
      }
    }
    System.exit(0); // whatever threads Helm has left
  }

  private static String run(Helm chart, String[] words) {
    if (words[0].equals("lint")) {
      LintResult result = chart.lint().strict().call();
      String messages = String.join("\n", result.getMessages());
      if (result.isFailed()) {
        throw new IllegalStateException(messages);
      }
      return messages;
    }
    TemplateCommand template =
        chart.template().withName("site").withNamespace("transfers").withKubeVersion("v1.30.0");
    for (int i = 1; i < words.length; i++) {
      int at = words[i].indexOf('=');
      template.set(words[i].substring(0, at), words[i].substring(at + 1));
    }
    return template.call();
  }
}
