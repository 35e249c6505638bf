import{a,b,c}from"./chunk-Q7724HG7.js";import"./chunk-FQPHUTQH.js";import"./chunk-4FDPZVP4.js";import"./chunk-E72YXV2Y.js";import"./chunk-DTGVUE5H.js";c();export{a as GuardianTabs,b as default};
