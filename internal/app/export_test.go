package app

// WaitRelayed waits until this node has handled all messages that it has received from other nodes.
func (a *App) WaitRelayed() error { return a.bus.Handled() }
