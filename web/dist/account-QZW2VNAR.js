import{a,b,c,d}from"./chunk-MLHTT65V.js";import"./chunk-4VMVNBAH.js";import"./chunk-QIRAC7NQ.js";d();export{c as Security,a as default,b as identity};
