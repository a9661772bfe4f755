// Package site is the code under test of the guide "from envtest": a controller that runs a web site for each ConfigMap
// with the label example.com/site.
package site

import (
	"context"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const (
	// Label marks the ConfigMaps that describe a site: image and replicas.
	Label = "example.com/site"
	// Ready is the annotation that reports that all replicas are available.
	Ready = "example.com/ready"
)

// Reconciler runs the sites.
type Reconciler struct {
	client.Client
	// FirstVersion has the bug that the guide describes: it asks for 500 CPUs instead of half of one.
	FirstVersion bool
}

// Reconcile brings one site to its described state.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var config corev1.ConfigMap
	if err := r.Get(ctx, request.NamespacedName, &config); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: config.Name, Namespace: config.Namespace}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, deployment, func() error {
		return r.describe(&config, deployment)
	}); err != nil {
		return ctrl.Result{}, err
	}
	ready := strconv.FormatBool(deployment.Status.AvailableReplicas >= *deployment.Spec.Replicas)
	if config.Annotations[Ready] == ready {
		return ctrl.Result{}, nil
	}
	before := config.DeepCopy()
	metav1.SetMetaDataAnnotation(&config.ObjectMeta, Ready, ready)
	return ctrl.Result{}, client.IgnoreNotFound(r.Patch(ctx, &config, client.MergeFrom(before)))
}

// describe sets the fields of the deployment that belong to the site, and leaves those of others.
func (r *Reconciler) describe(config *corev1.ConfigMap, deployment *appsv1.Deployment) error {
	replicas, err := strconv.ParseInt(config.Data["replicas"], 10, 32)
	if err != nil {
		return err
	}
	count := int32(replicas)
	labels := map[string]string{Label: config.Name}
	deployment.Spec.Replicas = &count
	deployment.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	deployment.Spec.Template.Labels = labels
	cpu := "500m"
	if r.FirstVersion {
		cpu = "500"
	}
	pod := &deployment.Spec.Template.Spec
	if len(pod.Containers) == 0 {
		pod.Containers = []corev1.Container{{Name: "web"}}
	}
	pod.Containers[0].Image = config.Data["image"]
	pod.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}
	return controllerutil.SetControllerReference(config, deployment, r.Scheme())
}

// SetupWithManager registers the controller.
func (r *Reconciler) SetupWithManager(manager ctrl.Manager) error {
	isSite := predicate.NewPredicateFuncs(func(object client.Object) bool {
		_, labelled := object.GetLabels()[Label]
		return labelled
	})
	return ctrl.NewControllerManagedBy(manager).
		For(&corev1.ConfigMap{}, builder.WithPredicates(isSite)).
		Owns(&appsv1.Deployment{}).
		Complete(r)
}
