import{a,b,c}from"./chunk-NKK2FWGP.js";import"./chunk-7527G7UE.js";import"./chunk-LD4DY4CL.js";import"./chunk-JI42CARG.js";import"./chunk-QIRAC7NQ.js";c();export{a as GuardianTabs,b as default};
