/** Descriptions of workloads, autoscaling and disruption; the format is that of `../descriptions.ts`. */
export const workloads = `
apps.ControllerRevision: A past state of the template of a DaemonSet or StatefulSet. Controllers store it for rollouts and for going back.
  data: The state, in a form that its controller knows. Cannot be changed.
  revision: Number of the state. Later states have greater numbers.

apps.DaemonSet: Runs one pod on each node, or on each of some nodes.
  spec: The pods and how they are replaced.
  status: Numbers of the nodes and pods.

apps.DaemonSetCondition < meta.Condition: A condition of a DaemonSet.

apps.DaemonSetSpec: What a DaemonSet runs.
  selector: Selects the pods that belong to the set. It must match the labels of the template, and cannot be changed. Required.
  template: The pod that each node gets. Its node selector, affinity and tolerations decide which nodes. Required.
  updateStrategy: How pods are replaced after the template has changed.
  minReadySeconds: Seconds for which a pod must be ready before it counts as available. Default 0.
  revisionHistoryLimit: Number of past templates that are kept. Default 10.

apps.DaemonSetStatus: Numbers of the nodes and pods of a DaemonSet.
  currentNumberScheduled: Nodes that run a pod of the set and should.
  numberMisscheduled: Nodes that run a pod of the set but should not.
  desiredNumberScheduled: Nodes that should run a pod of the set.
  numberReady: Nodes that should run a pod of the set and have a ready one.
  updatedNumberScheduled: Nodes whose pod has the current template.
  numberAvailable: Nodes that should run a pod of the set and have one that has been ready for minReadySeconds.
  numberUnavailable: Nodes that should run a pod of the set and have no available one.
  collisionCount: Number of hash collisions so far. The controller uses it to name a new ControllerRevision.
  conditions: The conditions of the set.

apps.DaemonSetUpdateStrategy: How the pods of a DaemonSet are replaced after the template has changed.
  type: RollingUpdate replaces them node by node; OnDelete waits until they are deleted. Default RollingUpdate.
  rollingUpdate: The pace of RollingUpdate.

apps.Deployment: Runs a number of equal pods, and replaces them step by step when their template changes.
  spec: The pods, their number, and how they are replaced.
  status: Numbers of the pods, and the progress of the rollout.

apps.DeploymentCondition < meta.Condition: A condition of a Deployment: Available, Progressing or ReplicaFailure.
  lastUpdateTime: When the condition was last written.

apps.DeploymentSpec: What a Deployment runs.
  replicas: Number of pods. Default 1.
  selector: Selects the pods that belong to the Deployment. It must match the labels of the template, and cannot be changed. Required.
  template: The pod. Its restartPolicy can only be Always. Required.
  strategy: How pods are replaced after the template has changed.
  minReadySeconds: Seconds for which a pod must be ready before it counts as available. Default 0.
  revisionHistoryLimit: Number of old ReplicaSets that are kept, to go back to. Default 10.
  paused: While true, changes of the template are not rolled out.
  progressDeadlineSeconds: Seconds without progress after which the condition Progressing becomes False. Default 600.

apps.DeploymentStatus: Numbers of the pods of a Deployment.
  replicas: Pods that exist and are not being deleted.
  updatedReplicas: Pods with the current template.
  availableReplicas: Pods that have been ready for minReadySeconds.
  unavailableReplicas: Pods that are missing or not available yet.
  conditions: The conditions of the Deployment.
  readyReplicas: Pods that are ready.
  collisionCount: Number of hash collisions so far. The controller uses it to name a new ReplicaSet.

apps.DeploymentStrategy: How the pods of a Deployment are replaced after the template has changed.
  type: RollingUpdate replaces them step by step; Recreate stops all old ones before it starts new ones. Default RollingUpdate.
  rollingUpdate: The pace of RollingUpdate.

apps.ReplicaSet: Keeps a number of equal pods running. Usually a Deployment makes and owns it.
  spec: The pods and their number.
  status: Numbers of the pods.

apps.ReplicaSetCondition < meta.Condition: A condition of a ReplicaSet: ReplicaFailure when pods cannot be created or deleted.

apps.ReplicaSetSpec: What a ReplicaSet runs.
  replicas: Number of pods. Default 1.
  selector: Selects the pods that belong to the set. It must match the labels of the template, and cannot be changed. Required.
  template: The pod that is created while pods are missing.
  minReadySeconds: Seconds for which a pod must be ready before it counts as available. Default 0.

apps.ReplicaSetStatus: Numbers of the pods of a ReplicaSet.
  replicas: Pods that exist and are not being deleted.
  fullyLabeledReplicas: Pods that have all labels of the template.
  readyReplicas: Pods that are ready.
  availableReplicas: Pods that have been ready for minReadySeconds.
  conditions: The conditions of the set.

apps.RollingUpdateDaemonSet: The pace at which the pods of a DaemonSet are replaced.
  maxUnavailable: Nodes that may be without an available pod during the rollout: a number, or a percentage of all that should have one, rounded up. Default 1.
  maxSurge: Nodes that may have the old pod and the new one at a time: a number or a percentage, rounded up. Not together with maxUnavailable. Default 0.

apps.RollingUpdateDeployment: The pace at which the pods of a Deployment are replaced.
  maxUnavailable: Pods that may be missing during the rollout: a number, or a percentage of replicas, rounded down. Default 25%.
  maxSurge: Pods that may exist beyond replicas during the rollout: a number, or a percentage of replicas, rounded up. Default 25%.

apps.RollingUpdateStatefulSetStrategy: The pace at which the pods of a StatefulSet are replaced.
  partition: Only pods whose ordinal is at least this one are replaced. Default 0: all of them.
  maxUnavailable: Pods that may be unavailable during the rollout: a number or a percentage, rounded up. Default 1.

apps.StatefulSet: Runs numbered pods, each with a name and storage that it keeps when it is replaced.
  spec: The pods, their storage, and how they are replaced.
  status: Numbers of the pods, and the revisions of their template.

apps.StatefulSetCondition < meta.Condition: A condition of a StatefulSet.

apps.StatefulSetOrdinals: The numbers of the pods of a StatefulSet.
  start: Number of the first pod. Default 0.

apps.StatefulSetPersistentVolumeClaimRetentionPolicy: Whether the claims of a StatefulSet are deleted.
  whenDeleted: Delete or Retain: what happens to the claims when the set is deleted. Default Retain.
  whenScaled: Delete or Retain: what happens to the claims of pods that are removed because replicas is lowered. Default Retain.

apps.StatefulSetSpec: What a StatefulSet runs.
  replicas: Number of pods. Default 1.
  selector: Selects the pods that belong to the set. It must match the labels of the template, and cannot be changed. Required.
  template: The pod. Each is named after the set and its ordinal, such as web-0. Required.
  volumeClaimTemplates: Claims that each pod gets. A pod mounts its claim under the name of the template; a volume of that name in the pod is replaced.
  serviceName: Name of the headless service that gives the pods their DNS names. It must exist for the names to resolve. Cannot be changed.
  podManagementPolicy: OrderedReady starts pods one after another, each when the one before is ready; Parallel starts them together. Default OrderedReady.
  updateStrategy: How pods are replaced after the template has changed.
  revisionHistoryLimit: Number of past templates that are kept. Default 10.
  minReadySeconds: Seconds for which a pod must be ready before it counts as available. Default 0.
  persistentVolumeClaimRetentionPolicy: Whether claims are deleted with the set or with their pods. Default they are kept.
  ordinals: The numbers of the pods. Default from 0.

apps.StatefulSetStatus: Numbers of the pods of a StatefulSet.
  replicas: Pods that exist.
  readyReplicas: Pods that are ready.
  currentReplicas: Pods with the template of currentRevision.
  updatedReplicas: Pods with the template of updateRevision.
  currentRevision: Name of the ControllerRevision that the rollout began from.
  updateRevision: Name of the ControllerRevision with the newest template.
  collisionCount: Number of hash collisions so far. The controller uses it to name a new ControllerRevision.
  conditions: The conditions of the set.
  availableReplicas: Pods that have been ready for minReadySeconds.

apps.StatefulSetUpdateStrategy: How the pods of a StatefulSet are replaced after the template has changed.
  type: RollingUpdate replaces them from the highest ordinal to the lowest; OnDelete waits until they are deleted. Default RollingUpdate.
  rollingUpdate: The pace of RollingUpdate.

autoscaling.CrossVersionObjectReference: A reference to an object in any version.
  kind: Kind of the object.
  name: Name of the object.
  apiVersion: API version of the object.

autoscaling.HorizontalPodAutoscaler: Adapts the number of pods of a workload to their load.
  spec: The workload, the limits and the metrics.
  status: The numbers of pods and the current metrics.

autoscaling.HorizontalPodAutoscalerSpec: What is scaled, by what, and in which limits.
  scaleTargetRef: The workload, which must have the subresource scale.
  minReplicas: The least number of pods. Default 1; 0 needs a feature gate and an object or external metric.
  maxReplicas: The greatest number of pods, not less than minReplicas.
  targetCPUUtilizationPercentage: Wanted average use of processor time, in percent of what the pods request.
  metrics: The metrics. Each recommends a number of pods, and the greatest counts. Default 80 percent of the requested processor time.
  behavior: How fast the number changes in each direction.

autoscaling.HorizontalPodAutoscalerStatus: The state of a HorizontalPodAutoscaler.
  lastScaleTime: When the number of pods was last changed.
  currentReplicas: The current number of pods.
  desiredReplicas: The number of pods that was last calculated.
  currentCPUUtilizationPercentage: Current average use of processor time, in percent of what the pods request.
  currentMetrics: The metrics as they were last read.
  conditions: What the autoscaler can do, and what limits it.

autoscaling.Scale: The number of instances of an object.
  spec: The desired scale.
  status: The observed scale. Read-only.

autoscaling.ScaleSpec: The desired scale.
  replicas: Desired number of instances.

autoscaling.ScaleStatus: The observed scale. Read-only.
  replicas: Actual number of instances.
  selector: Label selector of the counted instances, as a query.

autoscaling.ContainerResourceMetricSource: A resource that one container of each pod uses, compared with a target.
  name: Name of the resource, such as cpu.
  target: The wanted use.
  container: Name of the container.

autoscaling.ContainerResourceMetricStatus: The current use of a resource by one container of each pod.
  name: Name of the resource.
  current: The current use.
  container: Name of the container.

autoscaling.ExternalMetricSource: A metric of something outside the cluster, such as the length of a queue, compared with a target.
  metric: Name and selector of the metric.
  target: The wanted value.

autoscaling.ExternalMetricStatus: The current value of a metric of something outside the cluster.
  metric: Name and selector of the metric.
  current: The current value.

autoscaling.HPAScalingPolicy: A limit on how fast the number of pods changes.
  type: Pods or Percent: the unit of value.
  value: How many pods, or how many percent of the pods, may be added or removed in the period. More than 0.
  periodSeconds: Length of the period in seconds, 1 to 1800.

autoscaling.HPAScalingRules: How fast the number of pods changes in one direction.
  selectPolicy: Max applies the policy that allows the most, Min the one that allows the least, Disabled forbids the direction. Default Max.
  policies: The limits.
  stabilizationWindowSeconds: Seconds of past recommendations that are considered, 0 to 3600, so that the number does not swing. Default 0 upwards and 300 downwards.

autoscaling.HorizontalPodAutoscalerBehavior: How fast the number of pods changes.
  scaleUp: Rules for more pods. Default the greater of four pods and 100% in 15 seconds.
  scaleDown: Rules for fewer pods. Default 100% in 15 seconds, after a window of 300 seconds.

autoscaling.HorizontalPodAutoscalerCondition < meta.Condition: A condition of a HorizontalPodAutoscaler: ScalingActive, AbleToScale or ScalingLimited.

autoscaling.MetricIdentifier: Name and selector of a metric.
  name: Name of the metric.
  selector: Selects among metrics of one name by labels. Default the name alone.

autoscaling.MetricSpec: A metric with its target. The field that type names is set.
  type: Where the metric comes from: ContainerResource, External, Object, Pods or Resource.
  object: A metric of one other object.
  pods: A metric of each pod, averaged.
  resource: A resource that the pods use.
  external: A metric of something outside the cluster.
  containerResource: A resource that one container of each pod uses.

autoscaling.MetricStatus: The last reading of a metric. The field that type names is set.
  type: Where the metric comes from: ContainerResource, External, Object, Pods or Resource.
  object: A metric of one other object.
  pods: A metric of each pod, averaged.
  resource: A resource that the pods use.
  external: A metric of something outside the cluster.
  containerResource: A resource that one container of each pod uses.

autoscaling.MetricTarget: The wanted value of a metric. The field that type names is set.
  type: Utilization, Value or AverageValue.
  value: The wanted value of the metric as a whole.
  averageValue: The wanted value divided by the number of pods.
  averageUtilization: Wanted average use, in percent of what the pods request. Only for resources.

autoscaling.MetricValueStatus: The current value of a metric.
  value: The value of the metric as a whole.
  averageValue: The value divided by the number of pods.
  averageUtilization: Average use, in percent of what the pods request.

autoscaling.ObjectMetricSource: A metric of one object, such as the requests of an Ingress, compared with a target.
  describedObject: The object.
  target: The wanted value.
  metric: Name and selector of the metric.

autoscaling.ObjectMetricStatus: The current value of a metric of one object.
  metric: Name and selector of the metric.
  current: The current value.
  describedObject: The object.

autoscaling.PodsMetricSource: A metric of each pod. Its average is compared with a target.
  metric: Name and selector of the metric.
  target: The wanted average.

autoscaling.PodsMetricStatus: The current average of a metric of each pod.
  metric: Name and selector of the metric.
  current: The current average.

autoscaling.ResourceMetricSource: A resource that the pods use, as their requests name it, compared with a target.
  name: Name of the resource, such as cpu or memory.
  target: The wanted use.

autoscaling.ResourceMetricStatus: The current use of a resource by the pods.
  name: Name of the resource.
  current: The current use.

batch.CronJob: Creates jobs at times of a schedule.
  spec: The schedule and the job.
  status: The running jobs, and when the last ones ran.

batch.CronJobSpec: When a CronJob runs, and what.
  schedule: The times, in the format of cron: minute, hour, day of the month, month, day of the week.
  startingDeadlineSeconds: Seconds after its time in which a run may still start. A run that is later is skipped. Default no limit.
  concurrencyPolicy: What happens at a time at which a job still runs: Allow starts another one, Forbid skips the time, Replace stops the old one. Default Allow.
  suspend: While true, no new jobs start. Running ones go on. Default false.
  jobTemplate: The job.
  successfulJobsHistoryLimit: Number of successful jobs that are kept. Default 3.
  failedJobsHistoryLimit: Number of failed jobs that are kept. Default 1.
  timeZone: Time zone of the schedule, such as Europe/Berlin. Default that of the controller.

batch.CronJobStatus: The state of a CronJob.
  active: The jobs that run.
  lastScheduleTime: When a job was last created.
  lastSuccessfulTime: When a job last ended with success.

batch.Job: Runs pods until a number of them has succeeded.
  spec: The pods and when the job ends.
  status: Numbers of the pods, and how the job ended.

batch.JobCondition < meta.Condition: A condition of a Job: Complete, Failed, Suspended, SuccessCriteriaMet or FailureTarget.
  lastProbeTime: When the condition was last checked.

batch.JobSpec: What a Job runs, and when it ends.
  parallelism: Number of pods that run together, at most. Default 1.
  completions: Number of pods that must succeed. Without it any success ends the job, once all pods have ended. Default that of parallelism, if both are absent 1.
  activeDeadlineSeconds: Seconds after the start at which the job is stopped and has failed. Default no limit.
  selector: Selects the pods of the job. Set by the server unless manualSelector is true.
  manualSelector: True to choose selector and labels yourself. Other jobs' pods must not match. Default false.
  template: The pod. Its restartPolicy must be Never or OnFailure.
  backoffLimit: Number of failed pods after which the job has failed. Default 6, or no limit with backoffLimitPerIndex.
  ttlSecondsAfterFinished: Seconds after its end at which the job is deleted, with its pods. Default never.
  completionMode: NonIndexed counts successful pods; Indexed gives each pod an index from 0 to completions - 1, each of which must succeed. Default NonIndexed.
  suspend: While true, the job has no pods, and its deadline does not run. Default false.
  podFailurePolicy: Rules for failed pods, of which the first that matches counts. Needs restartPolicy Never. Default each failure counts against backoffLimit.
  backoffLimitPerIndex: Number of failed pods after which one index of an indexed job has failed. Needs restartPolicy Never.
  maxFailedIndexes: Number of failed indexes after which the job has failed. Needs backoffLimitPerIndex. Default the job goes on with the other indexes.
  podReplacementPolicy: Failed replaces a pod when it has ended; TerminatingOrFailed already when it is being deleted. Default TerminatingOrFailed, with podFailurePolicy Failed.
  managedBy: Name of another controller that runs the job. Cannot be changed. Default the built-in controller.
  successPolicy: Rules by which an indexed job succeeds before all its indexes have. Default all must succeed.

batch.JobStatus: The state of a Job.
  conditions: How the job ended, or that it is suspended.
  startTime: When the controller first worked on the job. Set again when a suspended job goes on.
  completionTime: When the job succeeded. Absent for a job that failed.
  active: Pods that are pending or run and are not being deleted.
  succeeded: Pods that succeeded.
  failed: Pods that failed.
  completedIndexes: Indexes that succeeded, as numbers and ranges: 1,3-5.
  uncountedTerminatedPods: Pods that have ended but are not yet in the numbers.
  ready: Pods that run and are ready.
  failedIndexes: Indexes that failed for good, as numbers and ranges: 1,3-5. Only with backoffLimitPerIndex.
  terminating: Pods that are being deleted and have not ended.

batch.JobTemplateSpec: The jobs that a CronJob creates.
  metadata: Labels and annotations of the jobs.
  spec: What the jobs run.

batch.PodFailurePolicy: Rules for failed pods of a job.
  rules: The rules, in order. The first that matches counts; without one the failure counts against backoffLimit. At most 20.

batch.PodFailurePolicyOnExitCodesRequirement: Exit codes of containers that a rule is for.
  containerName: Name of a container or init container. Default all of them.
  operator: In matches when a container ended with one of the values, NotIn when one ended with another code. Code 0 never matches.
  values: Exit codes, at most 255, in ascending order and without 0 for In.

batch.PodFailurePolicyOnPodConditionsPattern: A condition of a pod that a rule is for.
  type: Type of the condition.
  status: Status of the condition. Default True.

batch.PodFailurePolicyRule: A rule for failed pods. It has onExitCodes or onPodConditions.
  action: FailJob ends the job, FailIndex the index, Ignore does not count the failure, Count counts it against backoffLimit.
  onExitCodes: The exit codes that the rule is for.
  onPodConditions: Conditions of the pod that the rule is for; one must match.

batch.SuccessPolicy: Rules by which an indexed job succeeds early.
  rules: The rules, in order. One must be met; the remaining pods are then stopped. At most 20.

batch.SuccessPolicyRule: A rule by which an indexed job succeeds early.
  succeededIndexes: Indexes of which all, or succeededCount of them, must succeed, as numbers and ranges: 1,3-5. Default all indexes of the job.
  succeededCount: Number of indexes that must succeed.

batch.UncountedTerminatedPods: Pods that have ended but are not yet in the numbers of their job.
  succeeded: UIDs of pods that succeeded.
  failed: UIDs of pods that failed.

policy.Eviction: Deletes a pod unless a PodDisruptionBudget forbids it. Created at the subresource eviction of the pod.
  metadata: Name and namespace of the pod.
  deleteOptions: Options of the deletion.

policy.PodDisruptionBudget: Limits how many pods of an application are evicted together.
  spec: The pods and the limit.
  status: Numbers of the pods, and how many may be evicted now.

policy.PodDisruptionBudgetSpec: The pods of a budget, and its limit.
  minAvailable: Pods that must stay available: a number, or a percentage rounded up. Excludes maxUnavailable.
  selector: Selects the pods; an empty selector selects all of the namespace, an absent one none.
  maxUnavailable: Pods that may be unavailable: a number, or a percentage rounded up. Excludes minAvailable.
  unhealthyPodEvictionPolicy: Whether pods that run but are not ready can be evicted: IfHealthyBudget when enough others are healthy, AlwaysAllow always. Default IfHealthyBudget.

policy.PodDisruptionBudgetStatus: The state of a budget.
  disruptedPods: Evicted pods whose deletion the controller has not seen yet, with the time of the eviction.
  disruptionsAllowed: Number of pods that may be evicted now.
  currentHealthy: Number of healthy pods.
  desiredHealthy: Number of healthy pods that the budget asks for.
  expectedPods: Number of pods that the budget counts with.
  conditions: The conditions. DisruptionAllowed says whether a pod may be evicted now.

scheduling.PriorityClass: A priority of pods, which they choose by its name.
  value: The priority. A greater one is more important. At most 1000000000 for classes of users. Cannot be changed.
  globalDefault: Whether pods without a class get this one. Of several the least value counts. Default false.
  description: When the class should be used, for people.
  preemptionPolicy: PreemptLowerPriority lets pods of the class displace less important ones; Never does not. Cannot be changed. Default PreemptLowerPriority.
`;
