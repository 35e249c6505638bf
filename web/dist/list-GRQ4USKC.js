import{a,b,c}from"./chunk-KSATQV6Y.js";import"./chunk-M2GBNPGQ.js";import"./chunk-LQTUUJK7.js";import"./chunk-H4CCCNLF.js";import"./chunk-O2OVPS25.js";c();export{a as GuardianTabs,b as default};
