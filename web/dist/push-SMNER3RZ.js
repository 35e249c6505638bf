import{a,b,c}from"./chunk-S3PFCS5T.js";import"./chunk-EVZR4T6Z.js";c();export{b as Push,a as renewPush};
