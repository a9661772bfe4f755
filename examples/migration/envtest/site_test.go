package site

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"example.com/orch-apiserver/examples/go/testserver"
)

var base *testserver.Server

func TestMain(m *testing.M) {
	var err error
	if base, err = testserver.Start("--simulate-nodes=1"); err != nil {
		panic(err)
	}
	code := m.Run()
	base.Stop()
	os.Exit(code)
}

// start runs the controller on a fork of the server until the test ends.
func start(t *testing.T, reconciler *Reconciler) (*testserver.Server, client.Client) {
	fork := base.Fork(t)
	manager, err := ctrl.NewManager(fork.Config, ctrl.Options{
		Metrics: server.Options{BindAddress: "0"},
		// Each test has a controller of the same name, in one process.
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	if err != nil {
		t.Fatal(err)
	}
	reconciler.Client = manager.GetClient()
	if err := reconciler.SetupWithManager(manager); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := manager.Start(ctx); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	direct, err := client.New(fork.Config, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return fork, direct
}

func site(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{Label: ""}},
		Data:       map[string]string{"image": "web:1", "replicas": "2"},
	}
}

// eventually waits for a condition of the controller, which runs on real time.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

func TestSiteBecomesReady(t *testing.T) {
	t.Parallel()
	_, cluster := start(t, &Reconciler{})
	made := site("shop")
	if err := cluster.Create(context.Background(), made); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the site is ready", func() bool {
		return cluster.Get(context.Background(), client.ObjectKeyFromObject(made), made) == nil &&
			made.Annotations[Ready] == "true"
	})
	var pods corev1.PodList
	if err := cluster.List(context.Background(), &pods, client.MatchingLabels{Label: "shop"}); err != nil {
		t.Fatal(err)
	}
	if len(pods.Items) != 2 {
		t.Fatalf("%d pods run", len(pods.Items))
	}
}

func TestDeletedSiteTakesItsPodsAlong(t *testing.T) {
	t.Parallel()
	_, cluster := start(t, &Reconciler{})
	made := site("shop")
	if err := cluster.Create(context.Background(), made); err != nil {
		t.Fatal(err)
	}
	var deployment appsv1.Deployment
	eventually(t, "the deployment exists", func() bool {
		return cluster.Get(context.Background(), client.ObjectKeyFromObject(made), &deployment) == nil
	})
	if err := cluster.Delete(context.Background(), made); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the garbage collector has deleted deployment and pods", func() bool {
		var pods corev1.PodList
		err := cluster.Get(context.Background(), client.ObjectKeyFromObject(made), &deployment)
		return apierrors.IsNotFound(err) && cluster.List(context.Background(), &pods) == nil && len(pods.Items) == 0
	})
}

// The first version asks for 500 CPUs. The API accepts that, but no node has them.
func TestFirstVersionNeverBecomesReady(t *testing.T) {
	t.Parallel()
	fork, cluster := start(t, &Reconciler{FirstVersion: true})
	made := site("shop")
	if err := cluster.Create(context.Background(), made); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a pod says why it does not run", func() bool {
		var pods corev1.PodList
		if cluster.List(context.Background(), &pods, client.MatchingLabels{Label: "shop"}) != nil {
			return false
		}
		for _, pod := range pods.Items {
			for _, condition := range pod.Status.Conditions {
				if condition.Type == corev1.PodScheduled && condition.Reason == corev1.PodReasonUnschedulable {
					return strings.Contains(condition.Message, "Insufficient cpu")
				}
			}
		}
		return false
	})
	fork.Advance(t, time.Hour)
	if err := cluster.Get(context.Background(), client.ObjectKeyFromObject(made), made); err != nil {
		t.Fatal(err)
	}
	if made.Annotations[Ready] != "false" {
		t.Fatalf("ready is %q after an hour", made.Annotations[Ready])
	}
}
