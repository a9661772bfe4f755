import { annotate, goNamed, mapOf, quantity } from '../../schema/vocabulary.js';
import { once } from './once.js';

/**
 * Amounts of resources by name, such as `cpu: 100m`. Kubernetes keeps no more than thousandths of them and rounds up.
 *
 * @see release 1.31, `SetDefaults_ResourceList` of core/v1
 */
export const resourceList = once(() => goNamed('v1.ResourceList', mapOf(annotate(quantity(), { quantityScale: -3 }))));
