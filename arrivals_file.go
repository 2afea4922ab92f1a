package starloom

import (
	"os"
	"sync"

	"starloom/fabric"
	"starloom/fabric/traffic"
)

// arrivalsFile keeps the packets of a file. Checks of a scenario and of its copies, and their runs, read the file only
// once, unless its size or its time changes.
type arrivalsFile struct {
	lock sync.Mutex
	path string
	info os.FileInfo

	rows    []fabric.TrafficRow
	classes []fabric.TrafficRowClass
}

func (f *arrivalsFile) read(path string) (rows []fabric.TrafficRow, classes []fabric.TrafficRowClass, err error) {
	info, err := os.Stat(path)
	if f == nil || err != nil || !info.Mode().IsRegular() {
		return traffic.ReadFile(path)
	}
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.path == path && f.info.Size() == info.Size() && f.info.ModTime().Equal(info.ModTime()) {
		return f.rows, f.classes, nil
	}
	rows, classes, err = traffic.ReadFile(path)
	if err == nil {
		f.path, f.info, f.rows, f.classes = path, info, rows, classes
	}
	return rows, classes, err
}
