// What the checker of types is told of what is not ours.
interface Window { trustedTypes: any; axe: any }
