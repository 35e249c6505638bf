import{a,b,c}from"./chunk-V4ZOD6AT.js";import"./chunk-35OI3RJD.js";import"./chunk-FWUZUKGC.js";import"./chunk-IIKMONSJ.js";c();export{a as ClassTabs,b as default};
