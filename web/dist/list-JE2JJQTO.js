import{a,b,c}from"./chunk-UUETRLAO.js";import"./chunk-IJXYKEEM.js";import"./chunk-NZMC7PRU.js";import"./chunk-HGK7LQO3.js";import"./chunk-DKZEZLDA.js";c();export{a as GuardianTabs,b as default};
