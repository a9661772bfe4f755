//go:build ignore

// The tests as they are written for envtest, for comparison. They need the binaries of kube-apiserver and etcd
// (KUBEBUILDER_ASSETS), so they are not run here.
package site

import (
	"context"
	"os"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

var configuration *rest.Config

func TestMain(m *testing.M) {
	environment := &envtest.Environment{}
	var err error
	if configuration, err = environment.Start(); err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	manager, err := ctrl.NewManager(configuration, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		panic(err)
	}
	if err := (&Reconciler{Client: manager.GetClient()}).SetupWithManager(manager); err != nil {
		panic(err)
	}
	go func() { _ = manager.Start(ctx) }()
	code := m.Run()
	cancel()
	_ = environment.Stop()
	os.Exit(code)
}

// A namespace for each test: nothing deletes its content, so no test may use another's.
func start(t *testing.T, name string) client.Client {
	cluster, err := client.New(configuration, client.Options{})
	if err != nil {
		t.Fatal(err)
	}
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if err := cluster.Create(context.Background(), namespace); err != nil {
		t.Fatal(err)
	}
	return cluster
}

func site(name, namespace string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: map[string]string{Label: ""}},
		Data:       map[string]string{"image": "web:1", "replicas": "2"},
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not in time: %s", what)
		}
	}
}

func TestSiteBecomesReady(t *testing.T) {
	cluster := start(t, "ready")
	made := site("shop", "ready")
	if err := cluster.Create(context.Background(), made); err != nil {
		t.Fatal(err)
	}
	var deployment appsv1.Deployment
	eventually(t, "the deployment exists", func() bool {
		return cluster.Get(context.Background(), client.ObjectKeyFromObject(made), &deployment) == nil
	})
	// No controller runs deployments, so the test says that the pods are available: with the bug, too.
	deployment.Status.Replicas = 2
	deployment.Status.ReadyReplicas = 2
	deployment.Status.AvailableReplicas = 2
	if err := cluster.Status().Update(context.Background(), &deployment); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the site is ready", func() bool {
		return cluster.Get(context.Background(), client.ObjectKeyFromObject(made), made) == nil &&
			made.Annotations[Ready] == "true"
	})
}

func TestDeploymentBelongsToTheSite(t *testing.T) {
	cluster := start(t, "owned")
	made := site("shop", "owned")
	if err := cluster.Create(context.Background(), made); err != nil {
		t.Fatal(err)
	}
	// No garbage collector runs, so the test can only look at the owner reference.
	eventually(t, "the deployment has its owner", func() bool {
		var deployment appsv1.Deployment
		return cluster.Get(context.Background(), client.ObjectKeyFromObject(made), &deployment) == nil &&
			metav1.IsControlledBy(&deployment, made)
	})
}
