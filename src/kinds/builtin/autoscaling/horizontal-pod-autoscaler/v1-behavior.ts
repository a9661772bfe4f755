import { definedOnly, type JsonObject } from '../../../../foundation/index.js';
import type { autoscalingV2 } from '../../../types/index.js';
import type { AnnotationObject } from './annotation-json.js';

type Behavior = autoscalingV2.HorizontalPodAutoscalerBehavior;
type Rules = autoscalingV2.HPAScalingRules;

const rulesToV1 = (rules: Rules | undefined): JsonObject | null =>
  rules === undefined
    ? null
    : {
        StabilizationWindowSeconds: rules.stabilizationWindowSeconds ?? null,
        SelectPolicy: rules.selectPolicy ?? null,
        Policies:
          rules.policies?.map(({ type, value, periodSeconds }) => ({
            Type: type,
            Value: value,
            PeriodSeconds: periodSeconds,
          })) ?? null,
      };

/** Returns the scaling behavior as the annotation of version v1 has it: with the names of Go's fields. */
export const behaviorToV1 = ({ scaleUp, scaleDown }: Behavior): JsonObject => ({
  ScaleUp: rulesToV1(scaleUp),
  ScaleDown: rulesToV1(scaleDown),
});

function readRules(rules: AnnotationObject | undefined): Rules | undefined {
  if (rules === undefined) return undefined;
  return definedOnly({
    stabilizationWindowSeconds: rules.integer('stabilizationWindowSeconds'),
    selectPolicy: rules.value('selectPolicy') === undefined ? undefined : rules.text('selectPolicy'),
    policies: rules.list('policies')?.map((policy) => ({
      type: policy.text('type'),
      value: policy.integer('value') ?? 0,
      periodSeconds: policy.integer('periodSeconds') ?? 0,
    })),
  });
}

/** Reads the scaling behavior of an annotation; undefined when it has no rules. @throws FormProblem for another value */
export function readBehavior(behavior: AnnotationObject): Behavior | undefined {
  const scaleUp = readRules(behavior.object('scaleUp'));
  const scaleDown = readRules(behavior.object('scaleDown'));
  return scaleUp === undefined && scaleDown === undefined ? undefined : definedOnly({ scaleUp, scaleDown });
}
