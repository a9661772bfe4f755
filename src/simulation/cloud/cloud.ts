import {
  aBoolean,
  aName,
  checkOptions,
  either,
  listOf,
  matching,
  nested,
  oneOf,
  type OptionChecks,
} from '../../foundation/index.js';
import { RuleBook, type SimulationRule } from '../scheduling/rule-book.js';
import { addressRanges } from './address-pool.js';
import {
  loadBalancerPredicate,
  volumePredicate,
  type CloudItem,
  type LoadBalancerMatch,
  type VolumeMatch,
} from './match.js';
import {
  loadBalancerPlan,
  volumePlan,
  type CloudPlan,
  type LoadBalancerOutcomes,
  type VolumeOutcomes,
} from './outcomes.js';

/** Options of a fake cloud. */
export interface CloudOptions {
  /** Addresses of load balancers. Default `203.0.113.0/24` and `2001:db8::/120`, networks for documentation. */
  readonly addresses?: readonly string[] | undefined;
  /**
   * Load balancer classes that the cloud serves besides Services without a class. Default none: a Service with a class
   * is left to the program.
   */
  readonly loadBalancerClasses?: readonly string[] | undefined;
  /** Provisioners whose volumes the cloud creates and deletes. Default all. */
  readonly provisioners?: readonly string[] | undefined;
  /**
   * The StorageClass that the cloud creates, the default of claims that name none. Default one with the name `standard`
   * that binds at once and deletes its volumes; false for none.
   */
  readonly storageClass?: CloudStorageClass | false | undefined;
}

/** A StorageClass that a fake cloud creates. */
export interface CloudStorageClass {
  /** Default `standard`. */
  readonly name?: string | undefined;
  /** Whether a claim is bound at once or when its first pod is scheduled. Default `Immediate`. */
  readonly volumeBindingMode?: 'Immediate' | 'WaitForFirstConsumer' | undefined;
  /** The fate of a volume whose claim is deleted. Default `Delete`. */
  readonly reclaimPolicy?: 'Delete' | 'Retain' | undefined;
  /** Whether a claim may grow. Default true. */
  readonly allowVolumeExpansion?: boolean | undefined;
}

/** Selected load balancers. */
export interface MatchingLoadBalancers {
  /**
   * Lets the load balancers become something, from now on and until the rule is stopped. Of several rules that match a
   * Service, the newest counts. A Service that has its address keeps it.
   *
   * @throws TypeError for an unknown outcome or an invalid option, with the remedy
   */
  become<Outcome extends keyof LoadBalancerOutcomes>(
    outcome: Outcome,
    options?: LoadBalancerOutcomes[Outcome],
  ): SimulationRule;
}

/** Selected volumes. */
export interface MatchingVolumes {
  /**
   * Lets the volumes become something, from now on and until the rule is stopped. Of several rules that match a claim,
   * the newest counts. A claim that has its volume keeps it.
   *
   * @throws TypeError for an unknown outcome or an invalid option, with the remedy
   */
  become<Outcome extends keyof VolumeOutcomes>(outcome: Outcome, options?: VolumeOutcomes[Outcome]): SimulationRule;
}

/** The fake cloud of a simulation. */
export interface SimulatedCloud {
  /** The load balancers of Services. */
  readonly loadBalancers: {
    /**
     * Selects Services, existing and future ones.
     *
     * @param match conditions that must all hold; or the name of a Service; `{}` selects all
     * @throws TypeError for an unknown or invalid condition
     */
    matching(match: LoadBalancerMatch | string): MatchingLoadBalancers;
  };
  /** The volumes of claims. */
  readonly volumes: {
    /**
     * Selects volumes by their claims, existing and future ones.
     *
     * @param match conditions that must all hold; or the name of a claim; `{}` selects all
     * @throws TypeError for an unknown or invalid condition
     */
    matching(match: VolumeMatch | string): MatchingVolumes;
  };
}

const texts = listOf(aName, 'a list of names');
const classChecks: OptionChecks<CloudStorageClass> = {
  name: aName,
  volumeBindingMode: oneOf('Immediate', 'WaitForFirstConsumer'),
  reclaimPolicy: oneOf('Delete', 'Retain'),
  allowVolumeExpansion: aBoolean,
};
/** The checks of the options of a cloud. */
export const cloudChecks: OptionChecks<CloudOptions> = {
  addresses: addressRanges,
  loadBalancerClasses: texts,
  provisioners: texts,
  storageClass: either(
    matching('false, or an object', (value) => value === false),
    nested(classChecks),
  ),
};

/** The rules of a fake cloud, and what a test sees of it. */
export interface CloudRules {
  readonly cloud: SimulatedCloud;
  readonly balancers: RuleBook<CloudItem, CloudPlan>;
  readonly volumes: RuleBook<CloudItem, CloudPlan>;
}

/** Creates the rules of a fake cloud. @throws TypeError for an invalid option */
export function createCloudRules(options: CloudOptions): CloudRules {
  checkOptions('createSimulation, option cloud', options, cloudChecks);
  return cloudRules(new RuleBook(({ uid }) => uid), new RuleBook(({ uid }) => uid));
}

/** Returns the same rules for another server. */
export const copyCloudRules = ({ balancers, volumes }: CloudRules): CloudRules =>
  cloudRules(balancers.copy(), volumes.copy());

function cloudRules(balancers: RuleBook<CloudItem, CloudPlan>, volumes: RuleBook<CloudItem, CloudPlan>): CloudRules {
  return {
    balancers,
    volumes,
    cloud: {
      loadBalancers: {
        matching(match) {
          const matches = loadBalancerPredicate(match);
          return {
            become: (outcome, outcomeOptions = {}) =>
              balancers.add(matches, loadBalancerPlan(outcome, outcomeOptions), firstOf(match)),
          };
        },
      },
      volumes: {
        matching(match) {
          const matches = volumePredicate(match);
          return {
            become: (outcome, outcomeOptions = {}) =>
              volumes.add(matches, volumePlan(outcome, outcomeOptions), firstOf(match)),
          };
        },
      },
    },
  };
}

const firstOf = (match: LoadBalancerMatch | string): number | undefined =>
  typeof match === 'string' ? undefined : match.first;
