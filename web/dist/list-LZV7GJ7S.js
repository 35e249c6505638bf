import{a,b,c}from"./chunk-Y3AHEPSM.js";import"./chunk-QPEDATHI.js";import"./chunk-IFBMSAJ3.js";import"./chunk-7A7DVSNE.js";import"./chunk-WTA7P345.js";c();export{a as GuardianTabs,b as default};
