"""A cluster of Slurm on this machine: munged, slurmctld and nodes on loopback, all in a folder of their own.

It needs root, since slurmd has to be of the user that jobs are of.
"""

import os
import shutil
import signal
import socket
import subprocess
import time

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "scancel", "sinfo")
CONFIGURATION = """\
ClusterName=detcheck
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={control_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=2,batch_sched_delay=1
SlurmdParameters=config_overrides
ReturnToService=2
SlurmdTimeout=10
KillWait=5
MinJobAge=3600
MailProg=/bin/true
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing():
    """Why there can be no cluster here, or None."""
    if os.geteuid() != 0:
        return "Slurm's nodes need root"
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    absent = [name for name in NEEDED if not shutil.which(name, path=path)]
    return f"{', '.join(absent)} not found: .ci/setup .ci/packages-cluster" if absent else None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """Started by `with`; `environment` is what Slurm's commands want."""

    def __init__(self, folder, nodes=2, processors=2):
        self.folder, self.processes = folder, {}
        self.nodes = [f"node{number}" for number in range(1, nodes + 1)]
        host = socket.gethostname()
        text = CONFIGURATION.format(folder=folder, host=host, control_port=free_port())
        for node in self.nodes:
            text += (f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} "
                     f"CPUs={processors} RealMemory=1000\n")
        os.mkdir(f"{folder}/state")
        with open(f"{folder}/slurm.conf", "w", encoding="utf-8") as stream:
            stream.write(text)
        with open(f"{folder}/cgroup.conf", "w", encoding="utf-8") as stream:
            stream.write("CgroupPlugin=cgroup/v1\n")
        with open(f"{folder}/munge.key", "wb") as stream:
            stream.write(os.urandom(1024))
        os.chmod(f"{folder}/munge.key", 0o400)
        self.environment = dict(os.environ, SLURM_CONF=f"{folder}/slurm.conf",
                                PATH=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

    def __enter__(self):
        self.start("munged", "munged", "--foreground", "--force", f"--socket={self.folder}/munge.socket",
                   f"--key-file={self.folder}/munge.key", f"--pid-file={self.folder}/munged.pid",
                   f"--log-file={self.folder}/munged.log", f"--seed-file={self.folder}/munged.seed")
        self.wait_until("munge answers", lambda: os.path.exists(f"{self.folder}/munge.socket"))
        self.start("slurmctld", "slurmctld", "-D", "-i")
        for node in self.nodes:
            self.start_node(node)
        self.wait_until("all nodes are there", lambda: self.states() == ["idle"] * len(self.nodes))
        return self

    def __exit__(self, *unused):
        self.run("scancel", "--user=root", check=False)
        for name in reversed(self.processes):
            self.processes[name].terminate()
        for process in self.processes.values():
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def start(self, name, *words):
        with open(f"{self.folder}/{name}.out", "ab") as out:
            self.processes[name] = subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=out,
                                                    stderr=subprocess.STDOUT)

    def start_node(self, node):
        os.makedirs(f"{self.folder}/spool-{node}", exist_ok=True)
        self.start(node, "slurmd", "-D", "-N", node)

    def kill_node(self, node):
        """As if its power failed: slurmd, its steps and what these have started are gone at once. Returns how many
        processes that were."""
        self.processes[node].kill()
        self.processes[node].wait()
        jobs = self.of_node(node)
        # Those that would tell how the jobs ended come first.
        killed = 0
        for process in sorted({self.parent(job) for job in jobs} - set(jobs) - {1, os.getpid()}) + jobs:
            try:
                os.kill(process, signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
        return killed

    @staticmethod
    def parent(process):
        try:
            with open(f"/proc/{process}/stat", encoding="ascii") as stream:
                return int(stream.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return 1

    @staticmethod
    def of_node(node):
        """Processes that jobs have started on the node, as their environment says."""
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{entry}/environ", "rb") as stream:
                    words = stream.read().split(b"\0")
            except OSError:
                continue
            if f"SLURMD_NODENAME={node}".encode() in words:
                found.append(int(entry))
        return found

    def run(self, *words, check=True, **options):
        done = subprocess.run(words, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              timeout=120, text=True, **options)
        if check and done.returncode:
            raise RuntimeError(f"{' '.join(words)}: {done.stdout}{self.logs()}")
        return done.stdout

    def states(self):
        return self.run("sinfo", "-h", "-N", "-o", "%t", check=False).split()

    def queue(self):
        """The jobs that are not done: a list of (number, state), a line for each task of an array."""
        lines = self.run("squeue", "-h", "-r", "-o", "%i %T").splitlines()
        return [tuple(line.split()) for line in lines]

    def wait_until(self, what, happened, seconds=120):
        end = time.monotonic() + seconds
        while not happened():
            for name, process in self.processes.items():
                if process.poll() not in (None, -signal.SIGKILL):
                    raise RuntimeError(f"{name} has ended: {self.logs()}")
            if time.monotonic() > end:
                raise RuntimeError(f"not within {seconds} s: {what}. {self.logs()}")
            time.sleep(0.2)

    def logs(self):
        text = ""
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(f"{self.folder}/{name}", encoding="utf-8", errors="replace") as stream:
                    text += f"\n--- {name}\n" + "".join(stream.readlines()[-15:])
        return text
