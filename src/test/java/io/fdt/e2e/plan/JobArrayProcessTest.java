package io.fdt.e2e.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.fdt.e2e.Lab;
import io.fdt.e2e.Programs;
import io.fdt.e2e.RunningCommand;
import io.fdt.e2e.Shell;
import io.fdt.e2e.Tree;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The example for Slurm, run by a Slurm of one node that is this machine. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JobArrayProcessTest {
  private static final Path EXAMPLE =
      Path.of("../examples/job-arrays/slurm.sbatch").toAbsolutePath().normalize();

  @RegisterExtension final Lab lab = new Lab();

  private Process controller;
  private Process node;

  @AfterEach
  void stopSlurm() throws InterruptedException {
    for (Process daemon : new Process[] {node, controller}) {
      if (daemon != null) {
        daemon.destroy();
        if (!daemon.waitFor(20, TimeUnit.SECONDS)) {
          daemon.destroyForcibly();
        }
      }
    }
  }

  @Test
  void anArrayOfFourCopiesATree() throws Exception {
    Programs.require("slurmctld", "slurmd", "sbatch");
    Path source = lab.directory("source");
    Shell.run(
        source, "mkdir -p a/b; for i in $(seq 40); do echo $i > a/f$i; echo $i > a/b/g$i; done");
    RunningCommand server = lab.serve("--export", "data=" + source);
    lab.run(
            lab.root(),
            "plan",
            "--dir",
            "plan",
            "--accept-new",
            "--unit-files",
            "5",
            "-r",
            "fdt://127.0.0.1:" + server.port() + "/data/",
            "copy")
        .expect(0);
    startSlurm();

    lab.runScript(
            lab.root(),
            "export SLURM_CONF=$PWD/slurm/slurm.conf FDT=\"$*\" FDT_PLAN=$PWD/plan; "
                + "exec timeout 90 sbatch --wait "
                + EXAMPLE)
        .expect(0);

    Tree.assertSame(lab.root().resolve("copy"), source);
    assertThat(lab.run(lab.root(), "plan", "status", "plan").expect(0).out())
        .startsWith("16 units: 16 done, 0 running, 0 open, 0 failed; ")
        .contains("last step done");
    for (int task = 0; task < 4; task++) {
      assertThat(lab.root().resolve("fdt-1_" + task + ".out")).exists();
    }
  }

  private void startSlurm() throws IOException {
    Path directory = lab.directory("slurm");
    String host = InetAddress.getLocalHost().getHostName().replaceFirst("\\..*", "");
    String user = System.getProperty("user.name");
    Files.writeString(
        directory.resolve("slurm.conf"),
        """
        ClusterName=fdt
        SlurmctldHost=%1$s(127.0.0.1)
        SlurmctldPort=%3$d
        SlurmdPort=%4$d
        AuthType=auth/none
        CredType=cred/none
        SlurmUser=%5$s
        SlurmdUser=%5$s
        StateSaveLocation=%2$s
        SlurmdSpoolDir=%2$s
        SlurmctldPidFile=%2$s/slurmctld.pid
        SlurmdPidFile=%2$s/slurmd.pid
        SlurmctldLogFile=%2$s/slurmctld.log
        SlurmdLogFile=%2$s/slurmd.log
        ProctrackType=proctrack/linuxproc
        TaskPlugin=task/none
        SelectType=select/cons_tres
        SelectTypeParameters=CR_CPU
        MpiDefault=none
        ReturnToService=2
        JobAcctGatherType=jobacct_gather/none
        AccountingStorageType=accounting_storage/none
        SlurmdParameters=config_overrides
        NodeName=%1$s NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
        PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
        """
            .formatted(host, directory, freePort(), freePort(), user));
    controller = start("slurmctld", directory);
    node = start("slurmd", directory);
  }

  private static Process start(String program, Path directory) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("/usr/sbin/" + program, "-D")
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(program + ".out").toFile());
    builder.environment().put("SLURM_CONF", directory.resolve("slurm.conf").toString());
    return builder.start();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }
}
