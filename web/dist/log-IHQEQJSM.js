import{a,b,c}from"./chunk-LQTKRQUR.js";import"./chunk-AEKOIWQN.js";import"./chunk-NZMC7PRU.js";import"./chunk-HGK7LQO3.js";import"./chunk-DKZEZLDA.js";c();export{a as AuditTabs,b as default};
