package testserver

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/ptr"
)

var base *Server

func TestMain(m *testing.M) {
	var err error
	if base, err = Start(); err != nil {
		panic(err)
	}
	code := m.Run()
	base.Stop()
	os.Exit(code)
}

var ctx = context.Background()

func clientOf(t *testing.T, server *Server) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(server.Config)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

func makeMap(t *testing.T, server *Server, name string) {
	t.Helper()
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := clientOf(t, server).CoreV1().ConfigMaps("default").Create(ctx, made, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func hasMap(t *testing.T, server *Server, name string) bool {
	t.Helper()
	_, err := clientOf(t, server).CoreV1().ConfigMaps("default").Get(ctx, name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	return err == nil
}

func TestForksAreIndependent(t *testing.T) {
	one := base.Fork(t)
	makeMap(t, one, "shared")
	two := one.Fork(t)
	makeMap(t, two, "own")
	got := fmt.Sprint(hasMap(t, base, "shared"), hasMap(t, one, "own"), hasMap(t, two, "shared"), hasMap(t, two, "own"))
	if got != "false false true true" {
		t.Fatal(got)
	}
	two.Reset(t)
	if !hasMap(t, two, "shared") || hasMap(t, two, "own") {
		t.Fatal("the fork did not go back to its start")
	}
}

func TestTokenExpires(t *testing.T) {
	fork := base.Fork(t)
	client := clientOf(t, fork)
	fork.Settled(t) // The controller has made the account "default".
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: ptr.To(int64(3600))}}
	made, err := client.CoreV1().ServiceAccounts("default").CreateToken(ctx, "default", request, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	valid := func() bool {
		review := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: made.Status.Token}}
		answer, err := client.AuthenticationV1().TokenReviews().Create(ctx, review, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return answer.Status.Authenticated
	}
	if !valid() {
		t.Fatal("the new token is not valid")
	}
	fork.Advance(t, 2*time.Hour)
	if valid() {
		t.Fatal("the token is valid after two hours")
	}
}

func TestUpdateIsRepeatedAfterConflicts(t *testing.T) {
	fork := base.Fork(t)
	makeMap(t, fork, "counter")
	match := map[string]any{"verb": "update", "resource": "configmaps", "times": 2}
	remove := fork.Fault(t, map[string]any{"fault": "fail", "match": match, "status": 409})
	maps := clientOf(t, fork).CoreV1().ConfigMaps("default")
	err := retry.RetryOnConflict(retry.DefaultRetry, func() error {
		counter, err := maps.Get(ctx, "counter", metav1.GetOptions{})
		if err != nil {
			return err
		}
		counter.Data = map[string]string{"count": "1"}
		_, err = maps.Update(ctx, counter, metav1.UpdateOptions{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if hits := remove(); hits != 2 {
		t.Fatalf("the rule was applied %d times", hits)
	}
	if updates := fork.Requests(t, map[string]string{"verb": "update"}); len(updates) != 3 {
		t.Fatalf("%d updates", len(updates))
	}
}

func TestLoadCreatesObjects(t *testing.T) {
	fork := base.Fork(t)
	fork.Load(t, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: loaded\n")
	if !hasMap(t, fork, "loaded") || hasMap(t, base, "loaded") {
		t.Fatal("the object is not in the fork alone")
	}
}
