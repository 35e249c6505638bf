import{a,b,c}from"./chunk-4VMVNBAH.js";import"./chunk-QIRAC7NQ.js";c();export{a as SetPIN,b as default};
