package procgroup

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"
)

var (
	kernel32    = syscall.NewLazyDLL("kernel32.dll")
	createJob   = kernel32.NewProc("CreateJobObjectW")
	assignJob   = kernel32.NewProc("AssignProcessToJobObject")
	setJob      = kernel32.NewProc("SetInformationJobObject")
	queryJob    = kernel32.NewProc("QueryInformationJobObject")
	endJob      = kernel32.NewProc("TerminateJobObject")
	noJob       = syscall.Handle(0)
	errorOfKill = uintptr(1) // the exit code of what is killed, as os.Process.Kill has it
)

// basicLimits is JOBOBJECT_BASIC_LIMIT_INFORMATION.
type basicLimits struct {
	perProcessUserTime, perJobUserTime int64
	flags                              uint32
	minWorkingSet, maxWorkingSet       uintptr
	activeProcesses                    uint32
	affinity                           uintptr
	priority, scheduling               uint32
}

// extendedLimits is JOBOBJECT_EXTENDED_LIMIT_INFORMATION.
type extendedLimits struct {
	basic                                                basicLimits
	io                                                   [6]uint64
	processMemory, jobMemory, peakProcess, peakJobMemory uintptr
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	times                                     [4]int64
	pageFaults, processes, active, terminated uint32
}

const (
	basicAccountingInformation = 1
	extendedLimitInformation   = 9
	killOnJobClose             = 0x2000
	setQuota                   = 0x0100
)

// group is a job object, which ends with this process at the latest. It is noJob if the system gives none: then only the program is ended.
type group struct{ job syscall.Handle }

func (*group) prepare(*exec.Cmd) {}

func (g *Group) join() {
	process, err := syscall.OpenProcess(setQuota|syscall.PROCESS_TERMINATE, false, uint32(g.process.Pid))
	if err != nil {
		return
	}
	defer syscall.CloseHandle(process)
	job, _, _ := createJob.Call(0, 0)
	if job == 0 {
		return
	}
	limits := extendedLimits{basic: basicLimits{flags: killOnJobClose}}
	ok, _, _ := setJob.Call(job, extendedLimitInformation, uintptr(unsafe.Pointer(&limits)), unsafe.Sizeof(limits))
	if ok != 0 {
		ok, _, _ = assignJob.Call(job, uintptr(process))
	}
	if ok == 0 {
		syscall.CloseHandle(syscall.Handle(job))
		return
	}
	g.job = syscall.Handle(job)
}

func (g *group) signal(p *os.Process, s os.Signal) error {
	if g.job == noJob || s != os.Kill {
		return p.Signal(s)
	}
	if ok, _, err := endJob.Call(uintptr(g.job), errorOfKill); ok == 0 {
		return err
	}
	return nil
}

func (g *group) left() bool {
	if g.job == noJob {
		return false
	}
	var a accounting
	ok, _, _ := queryJob.Call(uintptr(g.job), basicAccountingInformation, uintptr(unsafe.Pointer(&a)), unsafe.Sizeof(a), 0)
	return ok != 0 && a.active > 0
}

func (g *group) close() {
	if g.job != noJob {
		syscall.CloseHandle(g.job)
		g.job = noJob
	}
}
