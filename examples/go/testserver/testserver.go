// Package testserver starts `orch-apiserver test-server` for Go tests: a Kubernetes API server that is ready in about 0.2
// seconds, and that each test forks.
//
// Copy this file into your project. It needs only client-go. The program is found on the PATH, or named by the
// environment variable ORCH_APISERVER ("npx orch-apiserver", "node node_modules/orch-apiserver/dist/cli/main.js").
package testserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Server is a running server, or a fork of one.
type Server struct {
	// Config is the owner's configuration, who may do everything.
	Config *rest.Config
	// Kubeconfig is the same as YAML, for kubectl.
	Kubeconfig string

	control string
	token   string
	stop    func()
}

// description is what the program prints, and what the control API answers.
type description struct {
	ID           string `json:"id"`
	Control      string `json:"control"`
	ControlToken string `json:"controlToken"`
	Kubeconfig   string `json:"kubeconfig"`
}

// Start starts the program with flags such as "--simulate-nodes=3". It ends with Stop, or with this process.
func Start(flags ...string) (*Server, error) {
	command := strings.Fields(os.Getenv("ORCH_APISERVER"))
	if len(command) == 0 {
		command = []string{"orch-apiserver"}
	}
	arguments := append(command[1:], "test-server", "--output=json", "--exit-with-parent")
	program := exec.Command(command[0], append(arguments, flags...)...)
	var log bytes.Buffer
	program.Stderr = &log
	// The program ends when this pipe closes, also when this process is killed.
	stdin, err := program.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := program.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := program.Start(); err != nil {
		return nil, fmt.Errorf("testserver: %w: set ORCH_APISERVER to the command that runs orch-apiserver", err)
	}
	stop := func() {
		_ = stdin.Close()
		_ = program.Wait()
	}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		stop()
		return nil, fmt.Errorf("testserver: the program ended: %s", log.String())
	}
	var printed description
	if err := json.Unmarshal(line, &printed); err != nil {
		stop()
		return nil, fmt.Errorf("testserver: unexpected output %q: %w", line, err)
	}
	server, err := serverOf(printed, printed.ControlToken)
	if err != nil {
		stop()
		return nil, err
	}
	server.stop = stop
	return server, nil
}

func serverOf(described description, token string) (*Server, error) {
	config, err := clientcmd.RESTConfigFromKubeConfig([]byte(described.Kubeconfig))
	if err != nil {
		return nil, err
	}
	// The client must not slow tests down.
	config.QPS = -1
	return &Server{Config: config, Kubeconfig: described.Kubeconfig, control: described.Control, token: token}, nil
}

// Stop ends the program with all forks.
func (s *Server) Stop() {
	if s.stop != nil {
		s.stop()
	}
}

// Fork returns an independent server with the same state, which is deleted when the test ends.
func (s *Server) Fork(t testing.TB) *Server {
	t.Helper()
	var made description
	s.call(t, http.MethodPost, "/forks", nil, &made)
	fork, err := serverOf(made, s.token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { fork.call(t, http.MethodDelete, "", nil, nil) })
	return fork
}

// Reset returns the server to the state it had when it started or was forked.
func (s *Server) Reset(t testing.TB) {
	t.Helper()
	s.call(t, http.MethodPost, "/reset", nil, nil)
}

// Advance advances the server's time, and returns when the server's controllers have done the resulting work.
func (s *Server) Advance(t testing.TB, duration time.Duration) {
	t.Helper()
	s.call(t, http.MethodPost, "/clock/advance", map[string]string{"duration": duration.String()}, nil)
}

// Settled returns when no controller of the server has work left.
func (s *Server) Settled(t testing.TB) {
	t.Helper()
	s.call(t, http.MethodPost, "/settled", nil, nil)
}

// Load creates the objects of manifests in YAML.
func (s *Server) Load(t testing.TB, manifests string) {
	t.Helper()
	s.call(t, http.MethodPost, "/load", manifests, nil)
}

// Fault adds a fault rule, and returns a function that removes it and returns how often it was applied.
func (s *Server) Fault(t testing.TB, rule map[string]any) (remove func() int) {
	t.Helper()
	return s.rule(t, "/faults", rule)
}

// Simulate adds a rule about simulated pods or nodes, and returns a function that removes it and returns how many have
// followed it.
func (s *Server) Simulate(t testing.TB, rule map[string]any) (remove func() int) {
	t.Helper()
	return s.rule(t, "/simulation/rules", rule)
}

func (s *Server) rule(t testing.TB, path string, rule map[string]any) (remove func() int) {
	t.Helper()
	var added struct{ ID string }
	s.call(t, http.MethodPost, path, rule, &added)
	return func() int {
		t.Helper()
		var removed struct{ Hits int }
		s.call(t, http.MethodDelete, path+"/"+added.ID, nil, &removed)
		return removed.Hits
	}
}

// Requests returns the requests that the server has answered, filtered by parameters such as {"verb": "update"}.
func (s *Server) Requests(t testing.TB, filter map[string]string) []map[string]any {
	t.Helper()
	query := url.Values{}
	for name, value := range filter {
		query.Set(name, value)
	}
	var list struct{ Items []map[string]any }
	s.call(t, http.MethodGet, "/requests?"+query.Encode(), nil, &list)
	return list.Items
}

// call sends a command. A string is sent as it is, other bodies as JSON. A failure ends the test.
func (s *Server) call(t testing.TB, method, path string, body, result any) {
	t.Helper()
	content, isText := body.(string)
	if body != nil && !isText {
		encoded, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		content = string(encoded)
	}
	request, err := http.NewRequest(method, s.control+path, strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode >= 300 {
		t.Fatalf("testserver: %s %s: %s", method, path, answer)
	}
	if result == nil {
		return
	}
	if err := json.Unmarshal(answer, result); err != nil {
		t.Fatal(err)
	}
}
